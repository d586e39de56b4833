"""Messages of military aircraft are hidden like the aircraft, whoever finds out and when; on both databases."""

import pytest

from skywatch.acars.envelopes import Burst
from skywatch.acars.intake import AcarsIntake
from skywatch.acars.messages import links as linking
from skywatch.airframes.military import record_lists, record_reports
from skywatch.airframes.models import AirframeImport, AirframeRecord
from skywatch.core.clock import unix_now, utcnow
from skywatch.core.database.engine import writing
from skywatch.inputs.base import Origin
from skywatch.security.permissions import Permission
from tests.identities import as_role, install
from tests.skies import sky_of
from tests.waiting import until

# Sees texts, but no military aircraft.
OPERATOR = as_role("operator", 3, None, Permission.ACARS_VIEW_FULL)
ANALYST = as_role("analyst", 4)
# Addresses and airframes say that these are civil.
GREY = {"hex": "a12345", "military": True, "r": "N12345"}
CIVIL = {"hex": "a77777", "r": "N77777"}


@pytest.fixture
def client(make_client, database_url):
    return install(make_client(database_url=database_url, auth_mode="hybrid"))


@pytest.fixture
def intake(client):
    intake = AcarsIntake(client.runtime)
    intake.start()
    yield intake
    intake.close()


@pytest.fixture
def receive(intake):
    def put(**kw):
        fields = {"at": unix_now(), "station": "A", "label": "80", "text": "TEXT", "block_id": "3"}
        intake.put([Burst(source="acars", **{**fields, "raw": {}, **kw})], Origin("vhf", "host", unix_now()))
        until(lambda: not intake.waiting)

    return put


@pytest.fixture
def see(client, intake):
    """A tick of the picture; what receivers report of aircraft is stored with them, as the tracker does."""

    def on_tick(*aircraft):
        intake.follow(sky_of(*aircraft))
        if reported := {one["hex"].upper() for one in aircraft if one.get("military")}:
            with writing(client.runtime.sessions) as session:
                record_reports(session, reported)
        until(lambda: not intake.waiting)

    return on_tick


def texts(client, headers):
    return sorted(one["text"] for one in client.get("/api/v1/acars/messages", headers=headers).json["messages"])


def airframe(session, address, registration, flags):
    empty = dict.fromkeys(("type_code", "type_name", "operator", "owner"), "")
    session.add(
        AirframeRecord(
            icao_hex=address, source="tar1090", registration=registration, year=0, flags=flags, **empty
        )
    )  # fmt: skip


def test_what_receivers_report_of_an_aircraft_hides_its_messages(client, receive, see):
    see(GREY, CIVIL)
    receive(icao_hex="A12345", text="BY ADDRESS")
    receive(registration="N12345", text="BY REGISTRATION")
    receive(icao_hex="A77777", text="CIVIL")
    assert texts(client, OPERATOR) == ["CIVIL"]
    assert texts(client, ANALYST) == ["BY ADDRESS", "BY REGISTRATION", "CIVIL"]
    # It has left the picture, and is what it was.
    see(CIVIL)
    receive(icao_hex="A12345", text="LATER")
    assert texts(client, OPERATOR) == ["CIVIL"]


def test_what_is_stored_is_hidden_when_the_picture_reports_it_later(client, receive, see):
    see({**GREY, "military": False}, CIVIL)
    for text, names in (
        ("A", {"icao_hex": "A12345"}),
        ("B", {"registration": "N12345"}),
        ("C", {"icao_hex": "A77777"}),
    ):
        receive(text=text, **names)
    receive(registration="N99999", text="UNKNOWN")
    assert texts(client, OPERATOR) == ["A", "B", "C", "UNKNOWN"]
    see(GREY, CIVIL, {"hex": "a99999", "military": True, "r": "N99999"})
    assert texts(client, OPERATOR) == ["C"]
    messages = client.get("/api/v1/acars/messages?icao_hex=a99999", headers=ANALYST).json["messages"]
    assert [one["text"] for one in messages] == ["UNKNOWN"]
    assert client.get("/api/v1/acars/stats", headers=OPERATOR).json["total"] == 1


def test_a_message_that_another_station_links_later_is_hidden(client, receive, see, intake):
    see({"hex": "ab1234", "military": True})
    at = unix_now()
    receive(registration="N55555", text="SAME", at=at)
    assert texts(client, OPERATOR) == ["SAME"]
    receive(registration="N55555", text="SAME", at=at + 0.5, station="B", icao_hex="AB1234", flight="AB0001")
    assert texts(client, OPERATOR) == []
    (message,) = client.get("/api/v1/acars/messages", headers=ANALYST).json["messages"]
    assert (message["icao_hex"], message["flight"], len(message["heard_by"])) == ("AB1234", "AB0001", 2)


def test_what_was_reported_once_hides_messages_after_a_restart(client, receive):
    with writing(client.runtime.sessions) as session:
        record_reports(session, ["A12345"])
    receive(icao_hex="A12345")
    assert texts(client, OPERATOR) == []
    assert texts(client, ANALYST) == ["TEXT"]


def test_a_message_that_names_only_a_registration_is_hidden_by_a_later_list(client, receive):
    receive(registration="N12345", text="GREY")
    receive(registration="N77777", text="CIVIL")
    with writing(client.runtime.sessions) as session:
        airframe(session, "A12345", "N12345", 1)
        airframe(session, "A77777", "N77777", 2)
        session.flush()
        record_lists(session.connection())
    assert texts(client, OPERATOR) == ["CIVIL"]
    assert texts(client, ANALYST) == ["CIVIL", "GREY"]


def test_an_import_of_airframes_hides_what_is_stored(client, receive, monkeypatch):
    monkeypatch.setattr(linking, "IMPORTS_EVERY_S", 0.0)
    receive(icao_hex="A12345", text="GREY")
    receive(icao_hex="A77777", text="CIVIL")
    assert texts(client, OPERATOR) == ["CIVIL", "GREY"]
    with writing(client.runtime.sessions) as session:
        airframe(session, "A12345", "N12345", 1)
        airframe(session, "A77777", "N77777", 2)
        session.add(AirframeImport(source="tar1090", imported_at=utcnow(), aircraft=2, refused=0))
        session.flush()
        record_lists(session.connection())
    receive(icao_hex="A77777", text="AFTER")
    receive(icao_hex="A12345", text="GREY TOO")
    assert texts(client, OPERATOR) == ["AFTER", "CIVIL"]
