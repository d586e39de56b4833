"""ACARS messages over REST and as events, through the intake that the tracker uses; on both databases."""

from collections import Counter
from datetime import timedelta

import msgspec
import pytest
import sqlalchemy as sa

from skywatch.acars.decoder import StreamDecoder
from skywatch.acars.decoding.decode import FORMS
from skywatch.acars.envelopes import Burst, FramePosition
from skywatch.acars.intake import AcarsIntake, open_input
from skywatch.acars.messages import links as linking
from skywatch.acars.metrics import ACARS_FAULTS
from skywatch.acars.resources import service
from skywatch.airframes.models import AirframeImport, AirframeRecord
from skywatch.core.clock import unix_now, utcnow
from skywatch.core.database.engine import writing
from skywatch.history.models import Flight
from skywatch.inputs.base import Origin
from skywatch.picture.tracker import Tracker
from tests.identities import as_role, install
from tests.skies import show, sky_of
from tests.waiting import until

VIEWER, OPERATOR, ANALYST = as_role("viewer", 2), as_role("operator", 3), as_role("analyst", 4)
SECRET = "SECRET TEXT OF N12345"
REFUSE = {
    "sqlite": "CREATE TRIGGER refuse BEFORE INSERT ON acars_messages WHEN NEW.text = 'REFUSED' "
    "BEGIN SELECT RAISE(ABORT, 'refused'); END",
    "postgresql": "ALTER TABLE acars_messages ADD CONSTRAINT refuse CHECK (text <> 'REFUSED')",
}


def burst(**kw):
    fields = {"at": unix_now(), "station": "A", "label": "80", "text": SECRET, "frequency_mhz": 131.55}
    fields |= {"registration": "N12345", "flight": "AB0123", "direction": "downlink", "block_id": "3"}
    return Burst(source="acars", **{**fields, "raw": {"text": SECRET}, **kw})


@pytest.fixture
def client(make_client, database_url):
    client = install(make_client(database_url=database_url, auth_mode="hybrid"))
    with writing(client.runtime.sessions) as session:
        for address, registration, flags in (("A12345", "N12345", 0), ("AE1234", "050001", 1)):
            session.add(
                AirframeRecord(
                    icao_hex=address, source="tar1090", registration=registration, type_code="", type_name="",
                    operator="", owner="", year=0, flags=flags,
                )
            )  # fmt: skip
    return client


@pytest.fixture
def published(client):
    messages = []
    client.runtime.bus.subscribe(["acars", "acars.received"], messages.append)
    return messages


@pytest.fixture
def intake(client):
    intake = AcarsIntake(client.runtime)
    intake.start()
    yield intake
    intake.close()


@pytest.fixture
def receive(intake):
    def put(*bursts, input_name="vhf"):
        intake.put(bursts, Origin(input_name, "host", unix_now()))
        until(lambda: not intake.waiting)

    return put


def listed(client, query="", **kw):
    return client.get(f"/api/v1/acars/messages?{query}", **kw).json["messages"]


def test_acknowledgements_are_left_out_or_alone(client, receive):
    receive(burst(label="_d", text=""), burst(label="H1"), burst(label="_\x7f", text="", message_number="M02A"))
    labels = {
        query: sorted(message["label"] for message in listed(client, query, headers=ANALYST))
        for query in ("", "acknowledgements=false", "acknowledgements=true")
    }
    assert labels["acknowledgements=false"] == ["H1"]
    assert "H1" not in labels["acknowledgements=true"]
    assert sorted([*labels["acknowledgements=true"], "H1"]) == labels[""]
    assert len(labels[""]) >= 2


@pytest.mark.deep("costs over a processor second")
def test_a_message_is_linked_by_its_registration_and_shown_whole_to_who_may_see_it(client, receive):
    receive(burst(text="POSN47300W122150,ABCDE,101112,370,FGHIJ,103000,KLMNO,M52,278034,1481234", label="H1"))
    (message,) = listed(client, headers=ANALYST)
    assert message["icao_hex"] == "A12345"
    assert message["decoded"]["title"] == "Position report"
    assert message["position"] == {"lat": 47.5, "lon": -122.25, "altitude_ft": 37000}
    assert message["label_name"] == "Message of an aircraft system"
    assert client.get(f"/api/v1/acars/messages/{message['id']}", headers=ANALYST).json == message


def test_without_the_full_text_nothing_of_it_is_told(client, receive, published):
    receive(burst())
    for headers in (VIEWER, OPERATOR):
        response = client.get("/api/v1/acars/messages", headers=headers)
        assert "SECRET" not in response.text
        (message,) = response.json["messages"]
        assert (message["text"], message["raw"]) == (None, None)
        assert message["label"] == "80"
        assert "SECRET" not in client.get(f"/api/v1/acars/messages/{message['id']}", headers=headers).text
        assert client.get("/api/v1/acars/messages?q=secret", headers=headers, status=403).json["code"]
        assert "SECRET" not in client.get("/api/v1/acars/stats", headers=headers).text
    (event,) = [message for message in published if message.topic == "acars"]
    assert b"SECRET" not in event.data
    assert b"N12345" not in event.data
    assert b"SECRET" in event.data_for(frozenset({"acars.view_full", "aircraft.view_details"}))


@pytest.mark.deep("costs over a processor second")
def test_no_page_of_the_api_shows_a_text_to_who_may_not_see_it(make_client):
    client = install(make_client(auth_mode="hybrid"))
    intake = AcarsIntake(client.runtime)
    intake.start()
    intake.put([burst(registration=None, icao_hex="A12345")], Origin("vhf", "host", unix_now()))
    until(lambda: not intake.waiting)
    intake.close()
    paths = client.get("/api/v1/openapi.json").json["paths"]
    pages = [path for path, methods in paths.items() if "get" in methods and "{" not in path and "/auth/" not in path]
    answered = 0
    for path in [*pages, "/api/v1/acars/messages/1", "/api/v1/aircraft/a12345", "/api/v1/acars/messages?label=80"]:
        response = client.get(path, headers=OPERATOR, expect_errors=True)
        answered += response.status_int == 200
        assert b"SECRET" not in response.body, path
    assert answered > 20
    assert "SECRET" in client.get("/api/v1/acars/messages", headers=ANALYST).text


def test_what_no_database_takes_is_left_out_and_the_message_is_stored(client, receive):
    values = [
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"9" * 500,
        b'"\\u0000"',
        b'"\\ud800"',
        b"[" * 150 + b"]" * 150,
        b'"\x00"',
    ]
    invalid = Counter()
    decoder = StreamDecoder(invalid)
    for number, value in enumerate(values):
        envelope = b'{"timestamp": %.3f, "label": "80", "text": "TEXT %d \\u0000\\u001bEND", "odd": {"\\u0000": %s}}\n'
        receive(*decoder.feed(envelope % (unix_now(), number, value), unix_now()))
    messages = listed(client, headers=ANALYST)
    assert [message["text"] for message in messages] == [f"TEXT {number} END" for number in reversed(range(8))]
    assert invalid == {}


def test_a_message_that_the_database_refuses_is_counted_for_its_input(client, receive, intake):
    vhf = open_input(client.runtime, "vhf", "udp 127.0.0.1:0")
    intake.register("vhf", vhf, is_file=False)
    with writing(client.runtime.sessions) as session:
        session.execute(sa.text(REFUSE[client.runtime.engine.dialect.name]))
    for text in ("GOOD", "REFUSED", "GOOD TOO"):
        intake.put([burst(text=text)], Origin("vhf", "host", unix_now()))
    until(lambda: not intake.waiting)
    assert sorted(message["text"] for message in listed(client, headers=ANALYST)) == ["GOOD", "GOOD TOO"]
    assert (vhf.status.stored, vhf.status.dropped) == (2, 1)


def test_a_form_that_fails_is_counted_for_its_input_and_the_message_is_stored(client, intake, monkeypatch):
    def broken(message):
        raise IndexError(message.text)

    monkeypatch.setitem(FORMS, "80", (broken,))
    before = ACARS_FAULTS.labels("broken")._value.get()
    vhf = open_input(client.runtime, "vhf", "udp 127.0.0.1:0")
    intake.register("vhf", vhf, is_file=False)
    intake.put([burst(text="ONE"), burst(text="TWO"), burst(label="10")], Origin("vhf", "host", unix_now()))
    until(lambda: not intake.waiting)
    assert sorted(message["text"] for message in listed(client, headers=ANALYST)) == ["ONE", SECRET, "TWO"]
    assert (vhf.status.stored, vhf.status.invalid) == (3, {"decoding": 2})
    assert ACARS_FAULTS.labels("broken")._value.get() - before == 2


def test_an_imported_airframe_links_the_messages_that_come_then(client, receive, monkeypatch):
    monkeypatch.setattr(linking, "IMPORTS_EVERY_S", 0.0)
    receive(burst(registration="N777XX", text="BEFORE"))
    with writing(client.runtime.sessions) as session:
        session.add(
            AirframeRecord(
                icao_hex="A77777", source="tar1090", registration="N777XX", type_code="", type_name="", operator="",
                owner="", year=0, flags=0,
            )
        )  # fmt: skip
        session.add(AirframeImport(source="tar1090", imported_at=utcnow(), aircraft=1, refused=0))
    receive(burst(registration="N777XX", text="AFTER"))
    assert {one["text"]: one["icao_hex"] for one in listed(client, headers=ANALYST)} == {
        "BEFORE": None, "AFTER": "A77777",
    }  # fmt: skip


def test_an_unknown_registration_is_linked_by_another_message_unless_they_contradict(client, receive):
    receive(burst(registration="N888XX", icao_hex="A88888", text="BOTH"))
    receive(burst(registration="N888XX", text="LATER"))
    receive(burst(registration="N888XX", icao_hex="A99999", text="OTHER"), burst(registration="N888XX", text="DOUBT"))
    assert {one["text"]: one["icao_hex"] for one in listed(client, headers=ANALYST)} == {
        "BOTH": "A88888", "LATER": "A88888", "OTHER": "A99999", "DOUBT": None,
    }  # fmt: skip


def test_a_message_belongs_to_the_flight_that_was_in_the_air(client, intake, receive):
    now = utcnow()
    columns = dict.fromkeys(("messages", "positions", "points", "distance_nm"), 0)
    columns |= {"military": False, "emergency": False, "active": False}
    with writing(client.runtime.sessions) as session:
        for number, (begin, end) in enumerate(((300, 200), (90, 20), (10, 5)), 1):
            times = {"first_seen_at": now - timedelta(minutes=begin), "last_seen_at": now - timedelta(minutes=end)}
            session.add(Flight(id=number, icao_hex="A12345", callsign=f"ABC{number}", **times, **columns))
    bursts = [burst(text=f"{minutes} AGO", at=unix_now() - 60 * minutes) for minutes in (250, 60, 120, 6)]
    intake.register("tape", None, is_file=True)
    receive(*bursts, input_name="tape")
    assert {one["text"]: one["callsign"] for one in listed(client, headers=ANALYST)} == {
        "250 AGO": "ABC1", "60 AGO": "ABC2", "120 AGO": None, "6 AGO": "ABC3",
    }  # fmt: skip


def test_registrations_need_details(client, receive):
    receive(burst())
    assert listed(client, headers=VIEWER)[0]["registration"] is None
    assert listed(client, headers=OPERATOR)[0]["registration"] == "N12345"
    client.get("/api/v1/acars/messages?registration=N12345", headers=VIEWER, status=403)
    assert len(listed(client, "registration=n12345", headers=OPERATOR)) == 1


def test_messages_of_military_aircraft_are_hidden_like_the_aircraft(client, receive, published):
    receive(burst(registration="050001", icao_hex="AE1234"))
    assert listed(client, headers=OPERATOR) == []
    assert client.get("/api/v1/acars/stats", headers=OPERATOR).json["total"] == 0
    (message,) = listed(client, headers=ANALYST)
    client.get(f"/api/v1/acars/messages/{message['id']}", headers=OPERATOR, status=404)
    (event,) = [one for one in published if one.topic == "acars"]
    assert event.audience.needs == {"aircraft.view_military"}


def test_filters_and_search(client, receive):
    receive(
        burst(text="ETA KSEA 1015"),
        burst(text="GATE A12 KPDX", flight="CD0001", registration="N99", frequency_mhz=136.975, station="B"),
    )
    for query, count in (
        ("q=ksea", 1),
        ("q=gate+OR+eta", 2),
        ("q=gate%09kpdx", 1),
        ("q=%0Agate%0D%0A%C2%A0-eta%09", 1),
        ("q=%22gate%09a12%22", 1),
        ("q=gate&station=b", 1),
        ("flight=cd0001", 1),
        ("frequency=136.9752", 1),
        ("frequency=136.97", 0),
        ("source=hfdl", 0),
        ("direction=downlink", 2),
        ("label=80", 2),
        ("icao_hex=a12345", 1),
        ("to=2020-01-01T00:00:00Z", 0),
        # By an index of their own, and by that of the words.
        ("q=gate&registration=n99", 1),
        ("q=ks*&icao_hex=a12345", 1),
        ("q=gate&icao_hex=a12345", 0),
        ("q=gat*&label=80&from=2020-01-01T00:00:00Z", 1),
        ("q=gat*&label=80&source=acars", 1),
        ("q=gate&to=2020-01-01T00:00:00Z", 0),
    ):
        assert len(listed(client, query, headers=ANALYST)) == count, query


@pytest.mark.parametrize("query", ["source=x", "frequency=x", "q=" + "x" * 201, "q=%00", "direction=up", "nonsense=1"])
def test_bad_filters_are_named(client, query):
    errors = client.get(f"/api/v1/acars/messages?{query}", headers=ANALYST, status=400).json["errors"]
    assert [(error["location"], error["name"]) for error in errors] == [("querystring", query.partition("=")[0])]


@pytest.mark.parametrize(("query", "count"), [("", 7), ("&q=number", 4), ("&q=num*", 4)])
def test_pages_by_cursor_hold_every_message_once(client, receive, monkeypatch, query, count):
    # Fewer than match: the pages go on behind those that are counted.
    monkeypatch.setattr(service, "MAX_COUNTED_OF_A_SEARCH", 4)
    receive(*(burst(text=f"NUMBER {n}") for n in range(7)))
    offset = client.get(f"/api/v1/acars/messages?limit=2&offset=3{query}", headers=ANALYST).json
    assert [message["text"] for message in offset["messages"]] == ["NUMBER 3", "NUMBER 2"]
    seen, url = [], f"/api/v1/acars/messages?limit=3{query}"
    while url:
        page = client.get(url, headers=ANALYST).json
        assert page["count"] == count
        seen += [message["text"] for message in page["messages"]]
        url = page["next"] and page["next"].replace("http://localhost", "")
    assert seen == [f"NUMBER {n}" for n in reversed(range(7))]


def test_a_second_station_and_a_repeat_change_the_message_that_is_there(client, receive):
    first = burst()
    receive(first)
    receive(msgspec.structs.replace(first, station="B", at=first.at + 0.5))
    receive(msgspec.structs.replace(first, at=first.at + 30))
    (message,) = listed(client, headers=ANALYST)
    assert [one["station"] for one in message["heard_by"]] == ["A", "B"]
    assert message["repeats"] == 1
    receive(burst(text="ANOTHER", station="A"))
    for query, count in (
        ("a", 2),
        ("b", 1),
        ("B", 1),
        ("c", 0),
        ("b&q=secret", 1),
        ("b&q=secr*", 1),
        ("b&q=another", 0),
    ):
        assert len(listed(client, f"station={query}", headers=ANALYST)) == count, query


def test_a_first_part_that_comes_last_amends_what_is_shown(client, receive, intake):
    number, label = {"message_number": "D10", "icao_hex": "A12345"}, "H1"
    at = unix_now() - 40
    receive(burst(label=label, text="BORED", sequence="B", at=at, block_id="4", **number))
    (message,) = until(lambda: listed(client, headers=ANALYST))
    assert (message["text"], message["incomplete"]) == ("BORED", True)
    text = "POSN47300W122150,ABCDE,101112,370,FGHIJ,103000,KLMNO,M52,278034,148"
    receive(burst(label=label, text=text, sublabel="DF", sequence="A", more=True, at=at + 1, **number))
    (message,) = listed(client, headers=ANALYST)
    assert (message["text"], message["incomplete"]) == (f"{text}BORED", False)
    assert (message["position"]["lat"], message["decoded"]["kind"]) == (47.5, "position")


def test_an_aircraft_tells_how_many_messages_it_has(client, receive):
    show(client.runtime, sky_of({"hex": "a12345", "lat": 47.5, "lon": 8.6, "alt_baro": 30000}))
    receive(burst(), burst(text="ANOTHER"))
    assert client.get("/api/v1/aircraft/a12345", headers=VIEWER).json["acars_messages"] == 2


def test_rules_hear_of_every_message_once(client, receive, published):
    receive(burst())
    (for_rules,) = [one for one in published if one.topic == "acars.received"]
    fields = msgspec.json.decode(for_rules.data)
    assert (fields["text"], fields["label"], fields["icao_hex"]) == (SECRET, "80", "A12345")


def test_statistics_and_labels(client, receive):
    receive(burst(), burst(label="SQ", text="01XAPDXKPDX1ARINC", registration=None, direction="uplink"))
    stats = client.get("/api/v1/acars/stats", headers=VIEWER).json
    assert (stats["total"], stats["decoded"], stats["linked"]) == (2, 1, 1)
    assert stats["by_label"] == {"80": 1, "SQ": 1}
    assert sum(hour["count"] for hour in stats["by_hour"]) == 2
    labels = {one["label"]: one for one in client.get("/api/v1/acars/labels?limit=1000", headers=VIEWER).json["labels"]}
    assert labels["SQ"]["count"] == 1
    assert labels["QA"]["name"] == "Out and fuel report"


@pytest.mark.parametrize("is_on", [True, False])
def test_positions_feed_the_picture_where_that_is_switched_on(make_runtime, is_on):
    runtime = make_runtime(acars_positions="true" if is_on else "false", picture_save_s="0")
    intake = AcarsIntake(runtime)
    intake.start()
    text = "POSN47300W122150,ABCDE,101112,370,FGHIJ,103000,KLMNO,M52,278034,1481234"
    frame = FramePosition(source="hfdl", at=unix_now(), icao_hex="A99999", flight=None, lat=47.0, lon=8.0)
    named = burst(icao_hex="A66666", flight="XY0001")
    by_flight = [msgspec.structs.replace(frame, icao_hex=None, flight=flight) for flight in ("XY0001", "XY0002")]
    old = burst(text=text, label="H1", icao_hex="A55555", at=unix_now() - 300)
    incomplete = burst(
        text=text, label="H1", icao_hex="A77777", message_number="M09", sequence="A", more=True, at=unix_now() - 40
    )
    whole = burst(text=text, label="H1", icao_hex="A12345")
    intake.put([whole, frame, named, *by_flight, old, incomplete], Origin("vhf", "host", unix_now()))
    until(lambda: not intake.waiting)
    intake.close()
    tracker = Tracker(runtime, receivers=[])
    sky = tracker.tick()
    assert sorted(sky.hexes) == (["a12345", "a66666", "a99999"] if is_on else [])
