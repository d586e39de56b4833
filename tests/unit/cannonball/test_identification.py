"""Who is law enforcement: agencies by name, aircraft by callsign, and never an airline."""

import csv
import gzip
import json

import pytest

from skywatch.cannonball.identification.agencies import classify, enforces_law, is_us_address
from skywatch.cannonball.identification.callsigns import DESIGNATORS, WORDS, agency_of_callsign
from skywatch.cannonball.identification.places import CITIES, STATE_CODES


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
