"""Importing lists of known aircraft over HTTP: what is taken, what is refused, and that nothing is half done."""

import pytest

from tests.functional.cannonball.conftest import ADMIN, VIEWER
from tests.servers import BEFORE_SQL

pytestmark = pytest.mark.portable(
    "sends what others send", but=["test_importing_again_updates_but_leaves_manual_edits_alone"]
)

LIST = "/api/v1/cannonball/known-aircraft/"
URL = LIST + "import/"
GOOD = "icao_hex,registration,agency_name\nA68A37,N520PD,Pasadena Police Dept\nA00001,N1CA,California Highway Patrol\n"


def post(client, text, status=200, headers=ADMIN, **query):
    data = text if isinstance(text, bytes) else text.encode()
    url = URL + "?" + "&".join(f"{k}={v}" for k, v in query.items())
    return client.post(url, data, headers=headers, content_type="text/csv", status=status).json


def listed(client, **query):
    return {e["icao_hex"]: e for e in client.get(LIST, query, headers=VIEWER).json["aircraft"]}


def counts(report):
    return [report[name] for name in ("added", "updated", "unchanged", "skipped", "refused_count")]


def test_rows_are_added_with_type_and_state_derived(client):
    report = post(client, GOOD)
    assert counts(report) == [2, 0, 0, 0, 0]
    entries = listed(client)
    assert entries["A00001"]["agency_type"] == "state"
    assert entries["A00001"]["agency_state"] == "CA"
    assert entries["A68A37"]["source"] == "community"
    assert counts(post(client, GOOD)) == [0, 0, 2, 0, 0]


def test_a_list_may_stand_in_a_json_body(client):
    assert client.post_json(URL, {"csv": GOOD}, headers=ADMIN).json["added"] == 2
    problem = client.post_json(URL, {"text": GOOD}, headers=ADMIN, status=400).json
    assert {error["name"] for error in problem["errors"]} == {"csv", "text"}
    client.post(URL, b"x", headers=ADMIN, content_type="application/pdf", status=415)


def test_a_dry_run_reports_and_changes_nothing(client):
    report = post(client, GOOD + "nonsense,,\n", dry_run="true")
    assert counts(report) == [2, 0, 0, 0, 1]
    assert report["refused"] == [
        {
            "line": 4,
            "icao_hex": "NONSENSE",
            "reason": "icao_hex must be an ICAO address of six hexadecimal digits",
            "reason_code": "known.icao_hex",
            "reason_params": {},
        }
    ]
    assert listed(client) == {}


def test_one_bad_line_refuses_all_unless_the_good_are_to_be_kept(client):
    bad = GOOD + "A68A37,N520PD,Twice\nA00002,N2,X,too,many\n"
    problem = post(client, bad, status=400)
    assert problem["code"] == "validation_failed"
    assert [(e["name"], e["detail"]) for e in problem["errors"]] == [
        ("line 4", "A68A37 stands on line 2 already"),
        ("line 5", "has 5 fields where the header has 3"),
    ]
    assert listed(client) == {}
    report = post(client, bad, keep_good="true")
    assert counts(report) == [2, 0, 0, 0, 2]
    assert set(listed(client)) == {"A68A37", "A00001"}


def test_a_bad_documentation_address_refuses_our_rows_and_is_left_out_of_others(client):
    own = "icao_hex,source_url\nA68A37,javascript:alert(1)\n"
    assert post(client, own, status=400)["errors"][0]["detail"] == "source_url must be an http:// or https:// address"
    theirs = "$ICAO,$Registration,$Operator,$Type,$ICAO Type,#CMPG,$Tag 1,$#Tag 2,$#Tag 3,Category,$#Link\n"
    theirs += "A68A37,N520PD,Pasadena Police,Hughes 500,H500,Pol,,,,Police Forces,javascript:alert(1)\n"
    assert counts(post(client, theirs, format="plane-alert")) == [1, 0, 0, 0, 0]
    assert listed(client)["A68A37"]["source_url"] == ""


def test_importing_again_updates_but_leaves_manual_edits_alone(client):
    post(client, GOOD)
    entry = listed(client)["A68A37"]
    client.patch_json(f"{LIST}{entry['id']}/", {"agency_name": "City of Pasadena", "notes": "seen"}, headers=ADMIN)
    newer = "icao_hex,registration,agency_name,aircraft_type\nA68A37,N520PQ,Pasadena PD,H500\n"
    assert counts(post(client, newer)) == [0, 1, 0, 0, 0]
    again = listed(client)["A68A37"]
    assert (again["agency_name"], again["notes"]) == ("City of Pasadena", "seen")
    assert (again["registration"], again["aircraft_type"]) == ("N520PQ", "H500")
    assert again["agency_type"] == "local"


def test_an_empty_field_says_nothing_and_derived_values_replace_nothing(client):
    post(client, "icao_hex,agency_name,agency_type,notes\nA00001,Fresno Police,federal,kept\n")
    post(client, "icao_hex,agency_name,agency_type,notes\nA00001,Fresno Police Dept,,\n")
    entry = listed(client)["A00001"]
    assert (entry["agency_type"], entry["notes"], entry["agency_name"]) == ("federal", "kept", "Fresno Police Dept")


def test_a_byte_order_mark_and_carriage_returns_do_no_harm(client):
    assert post(client, b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())["added"] == 2


def test_another_delimiter_is_named(client):
    text = GOOD.replace(",", ";")
    assert "delimiter=semicolon" in post(client, text, status=400)["errors"][0]["detail"]
    assert post(client, text, delimiter="semicolon")["added"] == 2


def test_another_encoding_is_named(client):
    text = "icao_hex,agency_name\nE90001,Policía de Córdoba\n".encode("latin-1")
    assert "encoding=latin-1" in post(client, text, status=400)["errors"][0]["detail"]
    assert post(client, text, encoding="latin-1")["added"] == 1
    assert listed(client)["E90001"]["agency_name"] == "Policía de Córdoba"
    assert "UTF-16" in post(client, GOOD.encode("utf-16"), status=400)["errors"][0]["detail"]


@BEFORE_SQL
@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("", "the file is empty"),
        ("hex,name\nA00001,x\n", "the header has no column icao_hex"),
        ("icao_hex,icao_hex\nA00001,A00002\n", "the header has the column icao_hex twice"),
        ("icao_hex,agency_type\nA00001,police\n", "agency_type must be one of"),
        ("icao_hex,agency_state\nA00001,ZZ\n", "two-letter US state code"),
        ("icao_hex,verified\nA00001,perhaps\n", "verified must be true or false"),
        ("icao_hex,notes\nFFFFFF,x\n", "must be an ICAO address"),
        ("icao_hex,notes\nA00001,a\x00b\n", "control characters"),
        ('icao_hex,notes\nA00001,"never closed\n', "a quote is not closed"),
        ("icao_hex,registration\nA00001,N1234567890123\n", "registration is longer than 12"),
    ],
)
def test_what_is_wrong_is_said(client, text, detail):
    assert detail in post(client, text, status=400)["errors"][0]["detail"]


@pytest.mark.deep("costs over a processor second")
def test_a_large_list_is_taken_where_other_bodies_are_refused(client):
    name = "Sheriff of a county with quite a long name" + " and of all its neighbours" * 3
    # More rows than are read at once.
    rows = "".join(f"{0xA00001 + i:06X},N{i},{name} indeed {i}\n" for i in range(8_000))
    text = "icao_hex,registration,agency_name\n" + rows
    assert len(text) > 1_048_576
    assert post(client, text)["added"] == 8_000
    assert client.get(LIST, {"search": "indeed 7999"}, headers=VIEWER).json["count"] == 1


def test_a_list_over_the_setting_is_refused(make_client, database_url):
    from tests.identities import install

    client = install(make_client(database_url=database_url, cannonball_import_max_bytes=2048))
    post(client, "x" * 3000, status=413)


def test_only_managers_import(client):
    post(client, GOOD, status=403, headers=VIEWER)
    post(client, GOOD, status=401, headers={})


def test_the_shared_list_imports_whole(client, shared_data):
    text = (shared_data / "lawenf" / "known_law_enforcement.csv").read_bytes()
    assert counts(post(client, text)) == [1605, 0, 0, 0, 0]
    assert listed(client, search="N1NJ")["A00137"]["agency_state"] == "NJ"
    stats = client.get(LIST + "stats/", headers=ADMIN).json
    assert stats["by_agency_type"]["federal"] == 155
    pol = (shared_data / "lawenf" / "plane-alert-pol.csv").read_bytes()
    assert post(client, pol, format="plane-alert", dry_run="true")["refused_count"] == 0


@BEFORE_SQL
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_before_any_is_read(client, monkeypatch, end):
    monkeypatch.setattr("skywatch.cannonball.known.formats.delimited_table.MAX_LINES", 3)
    monkeypatch.setattr("skywatch.cannonball.known.imports.uploads.stage_list", None)
    text = GOOD.replace("\n", end) + f"A00002,N2CA,Else{end}"
    fault = post(client, text, 400)["errors"][0]["detail"]
    assert "4 lines" in fault
    assert "at most 3" in fault
    monkeypatch.undo()
    assert counts(post(client, text.replace("\r", "\n").replace("\n\n", "\n"))) == [3, 0, 0, 0, 0]
