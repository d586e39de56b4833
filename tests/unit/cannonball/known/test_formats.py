"""The forms in which others publish their lists, read from small files as they write them."""

import io

from skywatch.cannonball.known.formats import faa, opensky, plane_alert
from skywatch.cannonball.known.formats.delimited_table import Row, Skipped, Table

MASTER = (
    "\ufeffN-NUMBER,SERIAL NUMBER,MFR MDL CODE,ENG MFR MDL,YEAR MFR,TYPE REGISTRANT,NAME,STREET,STREET2,CITY,STATE,"
    "ZIP CODE,REGION,COUNTY,COUNTRY,LAST ACTION DATE,CERT ISSUE DATE,CERTIFICATION,TYPE AIRCRAFT,TYPE ENGINE,"
    "STATUS CODE,MODE S CODE,FRACT OWNER,AIR WORTH DATE,OTHER NAMES(1),OTHER NAMES(2),OTHER NAMES(3),OTHER NAMES(4),"
    "OTHER NAMES(5),EXPIRATION DATE,UNIQUE ID, KIT MFR, KIT MODEL,MODE S CODE HEX,\r\n"
    "520PD,0456E  ,1152020,41514,2001,5,CITY OF PASADENA POLICE DEPARTMENT                ,207 N GARFIELD,     "
    "                         ,PASADENA          ,CA,91101     ,4,037,US,20200101,20010901,1N        ,6,3 ,V ,"
    "51505067,  ,20010913,                    ,                    ,                ,          ,          ,20290930,"
    "00524288,                              ,                    ,A68A37    ,\r\n"
    "1234,77,2072101,1,1999,5,STATE FORESTRY COMMISSION,X,,TOWN,GA,3,1,1,US,1,1,1,4,1,V,5,,1,,,,,,1,1,,,A00999    ,\r\n"
    "9XY,77,2072101,1,1999,7,WILMINGTON TRUST CO TRUSTEE,X,,DOVER,DE,3,1,1,US,1,1,1,4,1,V,5,,1,HARRIS COUNTY SHERIFF,"
    ",,,,1,1,,,A00998    ,\r\n"
)
ACFTREF = (
    "CODE,MFR,MODEL,TYPE-ACFT,TYPE-ENG,AC-CAT,BUILD-CERT-IND,NO-ENG,NO-SEATS,AC-WEIGHT,SPEED,TC-DATA-SHEET,"
    "TC-DATA-HOLDER,\r\n"
    "1152020,BELL HELICOPTER TEXTRON       ,OH-58A+             ,6,3 ,1,0,01,005,CLASS 1,0000,,,\r\n"
)
OPENSKY = (
    "icao24,registration,manufacturericao,manufacturername,model,typecode,operator,owner,notes\n"
    'a68a37,N520PD,BELL,Bell,"OH-58A+",B06,,"Pasadena Police Department",\n'
    "3c6444,D-AIBD,AIRBUS,Airbus,A319,A319,Lufthansa,Lufthansa,\n"
)
OPENSKY_LATER = (
    "'icao24','timestamp','manufacturerName','model','operator','owner','registration','typecode'\n"
    "'3c0001','2024','Airbus Helicopters','EC 135','Bundespolizei','','D-HBPA','EC35'\n"
)
PLANE_ALERT = (
    "$ICAO,$Registration,$Operator,$Type,$ICAO Type,#CMPG,$Tag 1,$#Tag 2,$#Tag 3,Category,$#Link\n"
    "0081A9,ZS-APS,South African Police Service,Pilatus PC-12 47,PC12,Pol,Police Squad,SAPS,,Police Forces,https://x.y\n"
    "00412D,Z-WPF,Air Zimbabwe,Boeing 767,B762,Gov,Dictator Alert,,,Dictator Alert,\n"
    "A006AF,N100WG,Total Helicopters (DOJ),Bell 429,B429,Gov,US Dept Of Justice,,,Oxcart,\n"
)


def table(text):
    return Table(io.BytesIO(text.encode()))


def test_the_faa_registry_gives_agencies_with_their_models():
    models = faa.read_models(table(ACFTREF))
    items = list(faa.read(table(MASTER), models))
    assert [type(item) for item in items] == [Row, Skipped, Row]
    assert items[0].fields == {
        "icao_hex": "A68A37",
        "registration": "N520PD",
        "aircraft_model": "BELL HELICOPTER TEXTRON OH-58A+",
        "agency_name": "City Of Pasadena Police Department",
        "agency_state": "CA",
        "agency_city": "Pasadena",
        "source_url": faa.REGISTRY_URL + "520PD",
    }
    assert items[2].fields["agency_name"] == "Harris County Sheriff"
    assert "agency_state" not in items[2].fields


def test_opensky_in_both_of_its_forms():
    first, second = opensky.read(table(OPENSKY))
    assert first.fields["agency_name"] == "Pasadena Police Department"
    assert first.fields["aircraft_model"] == "Bell OH-58A+"
    assert isinstance(second, Skipped)
    (later,) = opensky.read(table(OPENSKY_LATER))
    assert later.fields["icao_hex"] == "3c0001"
    assert later.fields["aircraft_type"] == "EC35"


def test_plane_alert_takes_police_and_passes_over_heads_of_state():
    items = list(plane_alert.read(table(PLANE_ALERT)))
    assert [type(item) for item in items] == [Row, Skipped, Row]
    assert items[0].fields["notes"] == "Police Forces, Police Squad, SAPS"
    assert items[0].line == 2
