"""Texts of ACARS messages, as people read them: drawn ones of every form, and the recordings as a whole."""

import json
import random
from collections import Counter

import pytest

from skywatch.acars.decoding import decode
from skywatch.acars.decoding.decode import FORMS
from skywatch.acars.envelopes import Burst, read


def items(decoded):
    return {item.name: item.value for item in decoded.items}


# Drawn: places, numbers and names are invented, the forms are those on the air.
POSITIONS = [
    ("12", "N 47.500,W122.250,38000,101112, 204,.C-FABC,0001", (47.5, -122.25, 38000)),
    ("15", "(2N47300W122150270 40390-55(Z", (47.5, -122.25, 39000)),
    ("15", "(2N47300W 82150---  8 23 26(Z", (47.5, -82.25, 2300)),
    ("15", "(2N47300W 82150270 40---- 5(Z", (47.5, -82.25, None)),
    ("15", "(2N47300W 82150OFF11112418101313--------(Z", (47.5, -82.25, None)),
    ("15", "(2N47300W 82150OFF------13280606--------(Z", (47.5, -82.25, None)),
    ("15", "(2N47300W122150OFF0812190755E1919------- (Z", (47.5, -122.25, None)),
    ("15", "FST01KPDXKSEAN475000W1222500380 156 495 M53C 4427422721045313002518521710", (47.5, -122.25, 38000)),
    (
        "80",
        "3N01 POSRPT 0891/04 KPDX/KSEA .N12345\r\n/POS N47300W122150/ALT +15608/MCH 558/FOB 0100/ETA 0410",
        (47.5, -122.25, 15608),
    ),
    (
        "80",
        "3N01 POSRPT 0581/27 KPDX/KSEA .N12345/04H 11:02\r\n/NWYP ABCDE /HDG 233/MCH 782\r\n"
        "/POS N4730.0W12215.0/FL 360/TAS 445/SAT -060\r\n/SWND 110/DWND 306/FOB N009414/ETA 14:26.0 ",
        (47.5, -122.25, 36000),
    ),
    (
        "80",
        "/FB 0105/AD KSEA/N4710.0,W12200.0,3P01 POSRPT  0267/20 KPDX/KSEA .N12345\n"
        "/UTC 143605/POS N4730.0 W12215.0/ALT 38007\n/SPD 334/FOB 0105/ETA 1622",
        (47.5, -122.25, 38007),
    ),
    (
        "80",
        "3C01 POS N47300W122150  ,,143700,               ,      ,               ,P47,124,0069",
        (47.5, -122.25, None),
    ),
    ("83", "KPDX,KSEA,220103, 47.50,-122.25, 3836,212, 140.0, 19700", (47.5, -122.25, 3836)),
    ("83", "EGLL,KPDX,232011, 47.50,- 22.25, 5004,240,-160.0, 20000", (47.5, -22.25, 5004)),
    ("83", "001PR22035539N4730.0W12215.00292500008", (47.5, -122.25, 2925)),
    ("83", "001PR29182854N4730.0W12215.0035000----", (47.5, -122.25, 3500)),
    ("16", "101112,34986,0154, 184,S 33.500,E151.250", (-33.5, 151.25, 34986)),
    ("16", "010123/AUTPOS/LLD N473000 W1221500\n/ALT 12000/SAT -10\n/DAT 260202/TIM 101112", (47.5, -122.25, 12000)),
    ("21", "POSN 47.500W122.250, 168,101112,32001,25300,  26,-48,120000,KSEA", (47.5, -122.25, 32001)),
    ("22", "N 473000W1221500,-------,101112,32001, ,      , ,M 48,25300  26, 168,", (47.5, -122.25, 32001)),
    ("44", "POS02,N047300W122150,390,KPDX,KSEA,0202,1011,,---.-", (47.5, -122.25, 39000)),
    ("H1", "POSN47300W122150,ABCDE,101112,370,FGHIJ,103000,KLMNO,M52,278034,1481234", (47.5, -122.25, 37000)),
    ("H1", "*POS\n02021011N4730W12215390251029790M5550336", (47.5, -122.25, 39000)),
    ("H1", "76401\n02E02KPDXKSEA\nN47500W12225010113702M057248030G000", (47.5, -122.25, 37020)),
    ("H1", "E502PDX SEA N47500W12225010113601M556290038G0009", (47.83333, -122.41667, 36010)),
    ("H1", "ABS001DA_N12345  KPDXKSEA287\n 47500-1222501011037993-585264034X20W", (47.5, -122.25, 37993)),
    ("H1", "TRP 101112  47.5000 -122.2500 369 132.7 448   1850 0.01828\n", (47.5, -122.25, 36900)),
]


def text_of(beginning):
    return next(text for _, text, _ in POSITIONS if text.startswith(beginning))


@pytest.mark.parametrize(("label", "text", "place"), POSITIONS)
def test_a_position_is_read_where_the_message_puts_it(label, text, place):
    decoded = decode(label, text)
    position = decoded.position
    assert (position.lat, position.lon) == pytest.approx(place[:2], abs=1e-4)
    assert position.altitude_ft == place[2]


def test_wind_and_temperature_of_a_position_report_are_read():
    found = items(decode("H1", "POSN47300W122150,ABCDE,101112,370,FGHIJ,103000,KLMNO,M52,278034,1481234"))
    assert found["wind"] == "278° / 34 kt"
    assert found["temperature_c"] == -52
    assert found["next_waypoint"] == "FGHIJ"
    assert found["fuel"] == 148
    assert items(decode("21", text_of("POSN 47")))["wind"] == "253° / 26 kt"


def test_headed_reports_name_airports_and_times():
    text = text_of("3N01 POSRPT 0581")
    found = items(decode("80", text))
    assert (found["origin"], found["destination"], found["registration"]) == ("KPDX", "KSEA", "N12345")
    assert (found["eta"], found["next_waypoint"], found["mach"]) == ("14:26Z", "ABCDE", 0.782)
    assert (found["temperature_c"], found["fuel"], found["tas_kt"]) == (-60, 9414, 445)
    off = decode("80", "1101 OFFRP  0226/14 KPDX/KSEA .N12345\n/OUT 1306/OFF 1327/FOB 0186/ETA 1518")
    assert (off.title, off.position) == ("Off report", None)
    assert (items(off)["out"], items(off)["off"], items(off)["eta"]) == ("13:06Z", "13:27Z", "15:18Z")
    eta = decode("83", "4DH3 ETAT2  0907/22 KPDX/KSEA .N12345\r\n/ETA 1641")
    assert (eta.title, items(eta)["eta"], items(eta)["destination"]) == ("Expected arrival", "16:41Z", "KSEA")
    assert items(decode("15", "(2N47300W 82150OFF11112418101313--------(Z"))["off"] == "18:10Z"
    assert items(decode("83", "KPDX,KSEA,220103, 47.50,-122.25, 3836,212, 140.0, 19700"))["time"] == "day 22, 01:03Z"


def test_weather_observations_of_the_two_forms_have_their_own_scales():
    assert "-57 °C" in items(decode("H1", text_of("76401")))["observation_1"]
    assert "-55.6 °C" in items(decode("H1", text_of("E502")))["observation_1"]


def test_a_flight_plan_names_airports_procedures_and_route():
    text = "FPN/FNABC123/RP:DA:KPDX:AA:KSEA:CR:KPDXKSEA:R:10L:D:ABCDE1.FGH:A:KLMNO2.PQR:AP:ILS16L..AAA..BBB1A2B"
    found = items(decode("H1", text))
    assert (found["origin"], found["destination"], found["flight"]) == ("KPDX", "KSEA", "ABC123")
    assert found["approach"] == "ILS16L"
    assert found["route"].startswith("AAA BBB")


@pytest.mark.parametrize(
    ("label", "text", "kind"),
    [
        ("SQ", "02XAPDXKPDX14535N12236WV136975/ARINC", "squitter"),
        ("Q0", "", "link_test"),
        ("_d", "", "acknowledgement"),
        ("SA", "0EV101112V", "media_advisory"),
        ("QR", "KPDXKSEA1011OS KSEA /FUL  75", "movement"),
        ("5Z", "/ET EXP TIME       / KPDX KSEA 01 101112/EON 1109 AUTO", "airline_report"),
        ("5Z", "OS KSEA /IR KSEA1019", "airline_report"),
        ("B9", "/KSEA.TI2/040KSEAA1B2", "atis_request"),
        ("H1", "RESREQ/AK,471122", "fmc_answer"),
        ("H1", "REJPOS,101112,130", "fmc_answer"),
        ("H1", "PER/PR1335,262,370,130,,60,19,230053,M60,180,P47,P078AC", "performance"),
        ("H1", "#DFB0400000627932100\n", "aircraft_condition"),
        ("BA", "/USADCXA.AT1.N12345660A", "cpdlc"),
        ("37", "014F63N\n)4D:Z)6GEZ0IP7M1N7ZHN3", "enciphered"),
        ("4H", "01004H KPDX KSEA6\n\nWPR RESET\n", "airline_report"),
    ],
)
def test_every_kind_is_recognised(label, text, kind):
    assert decode(label, text).kind == kind


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("12", "N 97.500,W122.250,38000,101112, 204,.C-FABC,0001"),
        ("15", "(2N47900W122150270 40390-55(Z"),
        ("15", "(2N97018W 77284OFF11112418101313--------(Z"),
        ("80", "3N01 POSRPT 0891/04 KPDX/KSEA .N12345\n/POS N97300W122150/ALT +15608"),
        ("83", "KPDX,KSEA,220103, 97.50,-122.25, 3836,212, 140.0, 19700"),
        ("44", "POS02,N000000W000000,390,KPDX,KSEA,0202,1011,,---.-"),
        ("H1", "TRP 101112  97.5000 -122.2500 369 132.7 448   1850"),
        ("80", "NOTHING THAT HAS A FORM"),
        ("ZZ", "POSN47300W122150"),
    ],
)
def test_what_names_nothing_on_the_earth_or_has_no_form_is_not_decoded(label, text):
    decoded = decode(label, text)
    assert decoded is None or decoded.position is None


def test_what_libacars_decoded_is_shown_in_words():
    application = {
        "arinc622": {
            "gs_addr": "ABCDEFG",
            "cpdlc": {
                "atc_downlink_msg": {
                    "header": {"timestamp": {"hour": 1}},
                    "atc_downlink_msg_element_id": {"choice_label": "REQUEST [altitude]", "data": {"alt": "FL370"}},
                }
            },
        }
    }
    decoded = decode("BA", "whatever", application=application)
    assert decoded.title == "CPDLC, pilot: REQUEST [altitude]"
    assert items(decoded)["facility"] == "ABCDEFG"
    adsc = {"adsc": {"tags": [{"basic_report": {"lat": 47.5, "lon": -122.25, "alt": 37000}}]}}
    assert decode("B6", "x", application=adsc).position.altitude_ft == 37000


def test_no_text_makes_decoding_raise():
    random_ = random.Random(5)
    alphabet = "NSEWPOFAB0123456789 ,./:-*#+()\r\n\0\x7f\ud800é"
    texts = [text for _, text, _ in POSITIONS]
    for _ in range(3_000):
        text = list(random_.choice(texts))
        for _ in range(random_.randint(1, 8)):
            text[random_.randrange(len(text))] = random_.choice(alphabet)
        label = random_.choice(list(FORMS))
        decoded = decode(label, "".join(text), application=random_.choice([None, {"adsc": 1}, {"cpdlc": []}]))
        if decoded is not None and decoded.position is not None:
            assert -90 <= decoded.position.lat <= 90
            assert -180 <= decoded.position.lon <= 180


def bursts(folder):
    invalid = Counter()
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            yield from (content for content in read(line, invalid) if isinstance(content, Burst))


def test_most_texts_of_the_recordings_are_decoded_and_no_position_is_wrong(shared_data):
    total = decoded_count = 0
    places = []
    for burst in bursts(shared_data / "acars"):
        if not burst.text or burst.label == "SQ":
            continue
        total += 1
        decoded = decode(burst.label, burst.text, burst.sublabel or "", burst.application)
        if decoded is not None:
            decoded_count += 1
            if decoded.position is not None and "KABQ" in burst.station and burst.source != "hfdl":
                places.append((decoded.position.lat, decoded.position.lon, burst.text))
    assert total > 200
    assert decoded_count / total >= 0.85
    # Albuquerque's station hears aircraft that are within 400 km of it.
    assert len(places) > 60
    assert [p for p in places if not (32 < p[0] < 39 and -112 < p[1] < -102)] == []


def test_every_decoding_can_be_stored_as_json(shared_data):
    for burst in bursts(shared_data / "acars"):
        decoded = decode(burst.label, burst.text, burst.sublabel or "", burst.application)
        if decoded is not None:
            json.dumps([(item.name, item.label, item.value) for item in decoded.items])
