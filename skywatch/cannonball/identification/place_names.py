"""Places in the names of US agencies that determine the state: states, cities, counties and parishes.

Only places with a name that is unique among flying agencies: Jackson County exists 23 times and is not listed.
"""

from __future__ import annotations

_STATES = """
AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware
DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas
KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi
MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York
NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|PR Puerto Rico|RI Rhode Island
SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|VI Virgin Islands
WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming|GU Guam
"""

_CITIES = """
AL Birmingham Alabama|AL Cullman|AL Huntsville|AL Mobile County|AZ Mesa|AZ Phoenix|AZ Tucson|AZ Maricopa County
AZ Pima County|AZ Cochise County|AZ Glendale Arizona|AZ Scottsdale|AR Little Rock|AR Pulaski County
CA Anaheim|CA Bakersfield|CA Burbank|CA El Monte|CA Fontana|CA Fresno|CA Hawthorne|CA Huntington Beach
CA Kern County|CA Long Beach|CA Los Angeles|CA LA IMPACT|CA Oakland|CA Ontario California|CA Pomona|CA Riverside
CA Sacramento|CA San Bernardino|CA San Diego|CA San Francisco|CA San Jose|CA Santa Ana|CA Sonoma County|CA Stockton
CA Tehama County|CA Ventura County|CA Contra Costa|CA Alameda County|CA Stanislaus|CO Denver|CO Douglas County Colorado
CO Aurora Colorado|CO Jefferson County Colorado|DC Metropolitan Police Department|FL Broward|FL Collier County
FL Hillsborough|FL Jacksonville|FL Lee County|FL Manatee|FL Martin County|FL Miami|FL Miami Dade|FL Orlando
FL Palm Beach|FL Pasco|FL Pinellas|FL Polk County|FL Sarasota|FL Seminole County|FL Tampa|FL Volusia|FL Brevard
FL Charlotte County|FL Escambia|FL Marion County|GA Atlanta|GA Cobb County|GA DeKalb County|GA Gwinnett
GA Savannah|HI Honolulu|HI Maui|ID Boise|IL Chicago|IL Cook County|IN Indianapolis|KS Kansas City
KS Wichita|KY Louisville|KY Lexington|LA Baton Rouge|LA Calcasieu|LA Jefferson Parish|LA New Orleans
LA Plaquemines|LA St Tammany|LA Caddo Parish|MD Anne Arundel|MD Baltimore|MD Montgomery County Maryland
MD Prince Georges|MD Howard County|MA Boston|MI Detroit|MI Oakland County|MN Minneapolis|MN Hennepin|MO St Louis
MO Saint Louis|NC Charlotte Mecklenburg|NC Wake County|NC Raleigh|NE Omaha|NV Las Vegas|NV Washoe|NV Reno|NJ Newark
NM Albuquerque|NM Bernalillo|NY Nassau County|NY New York City|NY Suffolk County|NY Westchester|NY Erie County
NY Onondaga|NY Monroe County New York|OH Akron|OH Cincinnati|OH Cleveland|OH Columbus|OH Toledo
OK Oklahoma City|OK Tulsa|OR Hood River|OR Multnomah|OR Lane County|PA Philadelphia|PA Pittsburgh|SC Charleston
SC Greenville County|SC Richland County|SC Spartanburg|SC Horry County|TN Memphis|TN Knox County|TN Nashville
TN Shelby County|TX Austin|TX Bexar|TX Dallas|TX El Paso|TX Fort Worth|TX Harris County|TX Houston|TX San Antonio
TX Travis County|TX Pasadena Texas|UT Salt Lake|VA Chesterfield|VA Fairfax|VA Henrico|VA Virginia Beach|WA King County
WA Pierce County|WA Seattle|WA Snohomish|WA Spokane|WI Milwaukee
"""


def _parse(text: str) -> tuple[tuple[str, str], ...]:
    entries = [entry.strip() for line in text.split("\n") for entry in line.split("|") if entry.strip()]
    pairs = [(entry[3:].upper(), entry[:2]) for entry in entries]
    # Longest first, so that West Virginia does not match Virginia.
    return tuple(sorted(pairs, key=lambda pair: (-len(pair[0]), pair)))


STATES: tuple[tuple[str, str], ...] = _parse(_STATES)
"""(name in upper case, code), longest name first."""
CITIES: tuple[tuple[str, str], ...] = _parse(_CITIES)
"""(place in upper case, code of its state), longest name first."""
STATE_CODES: frozenset[str] = frozenset(code for _, code in STATES) | {"AS", "MP"}
"""Every code that `agency_state` may hold."""
