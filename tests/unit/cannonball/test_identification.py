"""Who is law enforcement: agencies by name, aircraft by callsign, and never an airline."""

import csv
import gzip
import json

import pytest

from skywatch.cannonball.identification.agencies import classify, enforces_law, is_us_address
from skywatch.cannonball.identification.callsigns import (
    DESIGNATORS,
    WORDS,
    agency_of_callsign,
    has_agency_initials,
    is_agency_registration,
)
from skywatch.cannonball.identification.place_names import CITIES, STATE_CODES


@pytest.mark.parametrize(
    ("name", "agency_type", "state"),
    [
        ("Los Angeles Police Dept", "local", "CA"),
        ("Los Angeles County Sheriff's Dept", "local", "CA"),
        ("West Virginia State Police", "state", "WV"),
        ("Washington State Patrol", "state", "WA"),
        ("Washington County Sheriff", "local", ""),
        ("Kansas City Police Dept", "local", "KS"),
        ("MI State Police", "state", "MI"),
        ("TEXAS DEPT OF PUBLIC SAFETY", "state", "TX"),
        ("U.S. Customs and Border Protection", "federal", ""),
        ("Ng Research (DOJ)", "federal", ""),
        ("Indianapolis PD", "local", "IN"),
        ("United States Air Force", "military", ""),
        ("Jet Rider LLC", "unknown", ""),
    ],
)
def test_a_us_agency_is_known_by_its_name(name, agency_type, state):
    found = classify(name, us_registered=True)
    assert (found.agency_type, found.state) == (agency_type, state)


def test_agencies_elsewhere_are_not_squeezed_into_us_types():
    assert classify("Bundespolizei", us_registered=False).agency_type == "unknown"
    assert classify("Royal Air Force", us_registered=False).agency_type == "military"


@pytest.mark.parametrize(
    "name",
    ["Bundespolizei", "Policía Nacional", "Polizei Hessen", "Carabinieri", "Harris County Sheriff's Office", "US DOJ"],
)
def test_law_enforcement_is_recognised_in_many_languages(name):
    assert enforces_law(name)


@pytest.mark.parametrize(
    "name",
    ["Polish Airlines LOT", "Metropolitan Aviation", "Air Marshall Islands", "Police Aviation Services", "Dea Aviation",
     "Civil Air Patrol", "Sheriffmuir Gliding", "Justice Air", "United States Coast Guard", "Trooper Aviation LLC", ""],
)  # fmt: skip
def test_names_that_only_sound_like_it_are_not(name):
    assert not enforces_law(name)


@pytest.mark.parametrize("callsign", ["BPO123", "ukp12", "NPAS21  ", "POLICE1", "TRP7", "SST24A", "OMAHA12"])
def test_callsigns_of_law_enforcement(callsign):
    assert agency_of_callsign(callsign)


@pytest.mark.parametrize(
    "callsign", ["", "POL", "POLICE", "N520PD", "DLH123", "POLXY12", "BPO12345", "D-HVBA", "１２３"]
)
def test_other_callsigns(callsign):
    assert agency_of_callsign(callsign) is None


def test_the_tables_are_well_formed():
    assert all(len(d) == 3 and d.isalpha() for d in DESIGNATORS)
    assert all(4 <= len(w) <= 7 and w.isalpha() for w in WORDS)
    assert {state for _, state in CITIES} <= STATE_CODES
    assert is_us_address("A00001")
    assert not is_us_address("ADF7C8")


def airline_callsigns(designator):
    return [
        f"{designator}{suffix}" for suffix in ("1", "12", "123", "1234", "1A", "12AB", "123A", "9QH", "84PK", "AB1")
    ]


def test_no_airline_of_the_full_list_is_taken_for_law_enforcement(shared_data):
    operators = json.loads((shared_data / "aircraft_db" / "operators.json").read_text())
    police = {"UKP"} | {d for d, operator in operators.items() if enforces_law(operator["n"])}
    assert len(operators) > 6000
    assert len(police) < 45
    taken = {d for d in operators if any(map(agency_of_callsign, airline_callsigns(d)))}
    assert taken <= police
    assert taken == set(DESIGNATORS)


@pytest.mark.parametrize("feed", ["switzerland_30min", "california_30min", "michigan_session1"])
def test_no_ordinary_callsign_of_the_recordings_is_taken_for_law_enforcement(shared_data, feed):
    with gzip.open(shared_data / "feeds" / f"{feed}.jsonl.gz") as lines:
        callsigns = {a.get("flight", "") for line in lines for a in json.loads(line)["aircraft"]}
    assert len(callsigns) > 20
    assert not [c for c in callsigns if agency_of_callsign(c)]


def test_the_rules_agree_with_the_labelled_list(shared_data):
    with (shared_data / "lawenf" / "known_law_enforcement.csv").open() as file:
        rows = list(csv.DictReader(file))
    wrong = []
    for row in rows:
        found = classify(row["agency_name"], us_registered=row["us_registered"] == "1")
        if (found.agency_type, found.state) != (row["agency_type_derived"], row["agency_state_derived"]):
            wrong.append(row["agency_name"])
    assert len(wrong) / len(rows) < 0.01


@pytest.mark.parametrize(
    ("registration", "type_code", "category"),
    [("N911PD", "AS50", ""), ("N42SO", "", "A7"), ("n7hp", "B407", "A7"), ("N123SP", "B06", "")],
)
def test_letters_of_a_rotorcraft_are_weak_evidence(registration, type_code, category):
    assert is_agency_registration(registration, type_code, category)


@pytest.mark.parametrize(
    ("registration", "type_code", "category"),
    [("N911PD", "C172", "A1"), ("N911PD", "", ""), ("N0PD", "AS50", ""), ("N1234PD", "AS50", ""),
     ("D-HHPD", "AS50", ""), ("N91PDX", "AS50", ""), ("", "AS50", "A7")],
)  # fmt: skip
def test_letters_of_others_are_no_evidence(registration, type_code, category):
    assert not is_agency_registration(registration, type_code, category)


def test_callsigns_of_an_agencys_initials_are_weak_evidence():
    assert all(map(has_agency_initials, ("LVPD1", "ocso12 ", "POLICE")))
    assert not [c for c in ("", "PD1", "APD12", "LVPD", "LVPD1234", "N520PD", "DLH12SP") if has_agency_initials(c)]


@pytest.mark.deep("costs over a processor second")
def test_at_most_one_in_a_thousand_of_a_register_has_such_letters(shared_data):
    with (shared_data / "lawenf" / "known_law_enforcement.csv").open() as file:
        listed = {row["icao_hex"].upper() for row in csv.DictReader(file)}
    ordinary = marked = 0
    with gzip.open(shared_data / "aircraft_db" / "aircraft.csv.gz", "rt", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            icao_hex, registration, type_code, _ = line.split(";", 3)
            if is_us_address(icao_hex) and icao_hex.upper() not in listed:
                ordinary += 1
                marked += is_agency_registration(registration, type_code, "")
    assert ordinary > 300_000
    assert 0 < marked <= 0.001 * ordinary


def test_no_airline_of_the_full_list_has_an_agencys_initials(shared_data):
    operators = json.loads((shared_data / "aircraft_db" / "operators.json").read_text())
    assert not [c for d in operators for c in airline_callsigns(d) if has_agency_initials(c)]
