"""ACARS messages as files: the filters of the list, and who sees what of them; on both databases."""

import csv
import io

import msgspec
import pytest

from skywatch.acars.envelopes import Burst
from skywatch.acars.intake import AcarsIntake
from skywatch.acars.resources import service
from skywatch.acars.resources.exports import COLUMNS
from skywatch.accounts.changes import begin_change
from skywatch.accounts.models import FeatureAccessSetting
from skywatch.core.clock import unix_now
from skywatch.core.database.engine import writing
from skywatch.inputs.base import Origin
from skywatch.security.permissions import Permission
from tests.identities import as_role, install
from tests.waiting import until

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=["test_an_export_needs_the_right_to_see_messages", "test_the_filters_of_the_list_select"],
)

ANALYST = as_role("analyst", 4)
EXPORT = "/api/v1/acars/export"


def holding(*names):
    return as_role(None, 9, None, *map(Permission, names))


SECRET = "SECRET TEXT OF N12345"


@pytest.fixture
def client(make_client, database_url):
    return install(make_client(database_url=database_url, auth_mode="hybrid"))


@pytest.fixture
def messages(client):
    fields = {"station": "A", "label": "80", "text": SECRET, "registration": "N12345", "flight": "AB0123"}
    fields |= {"block_id": "3", "icao_hex": "A12345", "frequency_mhz": 131.55}
    text = "3N01 POSRPT 0891/04 KPDX/KSEA .N12345\n/POS N47300W122150/ALT +15608"
    bursts = [
        Burst(source="acars", at=unix_now(), raw={"text": SECRET}, **{**fields, **kw})
        for kw in (
            {},
            {"text": text, "label": "80"},
            {"text": '=HYPERLINK("http://x")', "label": "10", "station": "=B"},
            {"icao_hex": "AE1234", "registration": "050001", "text": "MILITARY"},
        )
    ]
    second = [msgspec.structs.replace(bursts[0], station="SOUTH", at=bursts[0].at + 0.3)]
    intake = AcarsIntake(client.runtime)
    intake.start()
    intake.put(bursts + second, Origin("vhf", "host", unix_now()))
    until(lambda: not intake.waiting)
    intake.close()


def lines(client, query="", headers=ANALYST):
    response = client.get(f"{EXPORT}?format=jsonl{query}", headers=headers)
    assert response.content_type == "application/x-ndjson"
    return [msgspec.json.decode(line) for line in response.body.splitlines()]


@pytest.mark.deep("costs over a processor second")
def test_json_lines_are_the_members_of_the_list(client, messages):
    listed = client.get("/api/v1/acars/messages", headers=ANALYST).json["messages"]
    assert len(listed) == 4
    assert lines(client) == listed


def test_csv_has_a_row_for_each_message_that_no_spreadsheet_runs(client, messages):
    response = client.get(EXPORT, headers=ANALYST)
    assert response.content_type == "text/csv"
    assert response.headers["Content-Disposition"].startswith('attachment; filename="skywatch-acars-')
    rows = list(csv.DictReader(io.StringIO(response.text)))
    assert response.text.splitlines()[0] == ",".join(COLUMNS)
    assert [row["text"] for row in reversed(rows)][:1] == [SECRET]
    first, second, third, _ = reversed(rows)
    assert (first["stations"], first["registration"], first["incomplete"]) == ("A SOUTH", "N12345", "false")
    assert (second["kind"], second["lat"], second["lon"], second["altitude_ft"]) == (
        "position", "47.5", "-122.25", "15608",
    )  # fmt: skip
    assert (third["text"], third["station"]) == ('\'=HYPERLINK("http://x")', "'=B")


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 4),
        ("&label=10", 1),
        ("&q=secret", 1),
        ("&q=secret%09text", 1),
        ("&q=nothing", 0),
        ("&station=south", 1),
        ("&station=south&q=secret", 1),
        ("&icao_hex=a12345&registration=n12345", 3),
        ("&to=2020-01-01T00:00:00Z", 0),
    ],
)
def test_the_filters_of_the_list_select(client, messages, query, count, monkeypatch):
    # In more than one batch.
    monkeypatch.setattr(service, "BATCH", 2)
    found = lines(client, query)
    assert len(found) == count
    assert len({one["id"] for one in found}) == count


def test_who_may_see_less_exports_less(client, messages):
    exporter = holding("history.export", "acars.view", "aircraft.view")
    found = lines(client, headers=exporter)
    assert len(found) == 3
    assert {one["text"] for one in found} == {one["raw"] for one in found} == {one["registration"] for one in found}
    text = client.get(EXPORT, headers=exporter).text
    assert all(word not in text for word in ("SECRET", "N12345", "MILITARY", "HYPERLINK"))
    assert "47.5" in text
    for query in ("q=secret", "registration=n12345"):
        assert client.get(f"{EXPORT}?{query}", headers=exporter, status=403).json["code"] == "permission_denied"
    client.get(EXPORT, headers=holding("acars.view", "acars.view_full"), status=403)


@pytest.mark.parametrize(("names", "status"), [(("acars.view",), 200), (("history.view",), 403)])
def test_an_export_needs_the_right_to_see_messages(client, messages, names, status):
    with writing(client.runtime.sessions) as session:
        begin_change(session)
        levels = {"read_access": "permission", "write_access": "permission", "is_enabled": True}
        session.merge(FeatureAccessSetting(feature="acars", **levels))
    # The change is noticed within a second.
    until(lambda: client.get("/api/v1/acars/messages", headers=holding(), expect_errors=True).status_int == 403)
    client.get(EXPORT, headers=holding("history.export", *names), status=status)


@pytest.mark.parametrize("query", ["format=xml", "limit=5", "cursor=x", "q=" + "x" * 201])
def test_bad_parameters_are_named(client, query):
    errors = client.get(f"{EXPORT}?{query}", headers=ANALYST, status=400).json["errors"]
    assert [error["name"] for error in errors] == [query.partition("=")[0]]
