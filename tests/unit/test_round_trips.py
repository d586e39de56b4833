"""What one part encodes and another decodes comes back as it was, field by field.

Encoders do not know the type that decodes: a subclass, a renamed field, or a field that only one side has, gets lost
without an error. Every field has a value here that is not its default, also those that are added later.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec
import numpy as np
import pytest

from skywatch.acars.messages.storage import for_rules
from skywatch.acars.models import AcarsMessage
from skywatch.alerts.conditions.fields import all_fields
from skywatch.alerts.tracker.event_inbox import Inbox
from skywatch.cannonball.known.imports.staging import Staged, StagedRow
from skywatch.cannonball.location import Location, LocationStore
from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern
from skywatch.cannonball.tracker.geometry import STILL
from skywatch.cannonball.tracker.interests.detections import Detections
from skywatch.cannonball.tracker.interests.interest import Interest
from skywatch.cannonball.tracker.interests.pattern_change import PatternChange
from skywatch.cannonball.tracker.locations import TrackedUser
from skywatch.cannonball.tracker.pauses import Occasion
from skywatch.cannonball.tracker.session import LiveSession
from skywatch.cannonball.tracker.storage.changes import alert_raised, session_change
from skywatch.cannonball.tracker.storage.records import write
from skywatch.cannonball.tracker.storage.restart import open_patterns, recent_pauses, resume_sessions
from skywatch.cannonball.vocabulary import AlertType, Identification, ThreatLevel
from skywatch.console.sessions.session import Session as ConsoleSession
from skywatch.console.sessions.session import _Serializer
from skywatch.core import stored_settings
from skywatch.core.bus import open_bus, topics
from skywatch.core.bus.base import Audience, Form, Message
from skywatch.core.bus.message_codec import pack, unpack
from skywatch.core.database.engine import writing
from skywatch.core.election import heartbeats
from skywatch.core.process import announcer
from skywatch.core.storage.audit import Actor
from skywatch.core.storage.retention import Extent
from skywatch.core.telemetry import metrics
from skywatch.core.telemetry.health import Component
from skywatch.features import SETTINGS
from skywatch.inputs import runner
from skywatch.inputs.base import FilePosition, InputStatus
from skywatch.notify.messages import compose
from skywatch.notify.models import Delivery
from skywatch.patterns.findings import Confidence, Pattern, PatternType
from skywatch.picture.changes import apply_changes, encode_changes
from skywatch.picture.distribution.statistics import TrackerStatistics
from skywatch.picture.state.sky import Sky, from_bytes, to_bytes
from skywatch.picture.storage.saved_picture import SavedPicture, decode, encode
from skywatch.picture.tick_report import _json as tracker_encoder
from skywatch.picture.trails import remote as trails_remote
from skywatch.picture.trails import trail
from skywatch.receivers.base import ReceiverStatus, published_receivers
from skywatch.serving import status_line
from skywatch.settings import names_of
from skywatch.system import extents
from tests.cannonball import add_known, add_users
from tests.skies import sky_of

NOW = datetime(2026, 11, 20, 10, 17, 48, 125000, tzinfo=UTC)


def filled(kind: Any, hint: str = "x") -> Any:
    """A value of a type, made of values that no field has by default."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return filled(next(a for a in arguments if a not in (type(None), msgspec.UnsetType)), hint)
    if origin is Literal:
        return arguments[-1]
    if origin in (list, dict, tuple, frozenset):
        if origin is tuple and Ellipsis not in arguments:
            return tuple(filled(a, f"{hint}{n}") for n, a in enumerate(arguments))
        if origin is dict:
            return {filled(arguments[0], hint): filled(arguments[1], hint)}
        return origin([filled(arguments[0], hint)])
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        fields = msgspec.structs.fields(kind)
        return kind(**{field.name: filled(field.type, field.name) for field in fields})
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{field.name: filled(hints[field.name], field.name) for field in dataclasses.fields(kind)})  # type: ignore[operator]
    simple: dict[Any, Any] = {
        bool: True,
        int: 1 + len(hint),
        float: 0.25 + len(hint),
        str: f"{hint} é",
        bytes: hint.encode() + b"\x00\xff",
        datetime: NOW,
        object: hint,
        Any: hint,
    }
    return simple[kind]


def plain(value: Any) -> Any:
    """A value as its fields, so that values of different types are compared by what is in them."""
    if isinstance(value, msgspec.Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {plain(k): plain(v) for k, v in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def through_bus(encoder: Callable[[Any], bytes], decoder: Callable[[bytes], Any]) -> Callable[[Any], Any]:
    """Through the encoder of one part, a bus between processes, and the decoder of another."""

    def pass_on(value: Any) -> Any:
        return decoder(unpack("topic", pack(Message("topic", "event", encoder(value)))).data)

    return pass_on


def staged(rows: list[StagedRow]) -> list[StagedRow]:
    with Staged() as spool:
        spool.put(rows)
        (chunk,) = spool.chunks()
    return chunk


def location(value: Location) -> Location | None:
    store = LocationStore(open_bus("memory"))
    store.put(value)
    return store.get(value.user_id)


def announced(process: announcer.Process) -> announcer.Process:
    bus = open_bus("memory")
    bus.put(announcer.PROCESSES + process.name, msgspec.json.encode(process), 60)
    (back,) = announcer.processes(bus)
    return back


def last_extents(kinds: dict[str, Extent]) -> Any:
    bus = open_bus("memory")
    extents.publish_extents(bus, kinds)
    back = extents.last_extents(bus)
    assert back is not None
    return back.kinds


def published(statuses: list[ReceiverStatus]) -> list[ReceiverStatus]:
    bus = open_bus("memory")
    bus.publish(Message(topics.RECEIVERS, "receivers", tracker_encoder.encode(statuses), snapshot=True))
    return published_receivers(bus)


RECEIVERS = [filled(ReceiverStatus), ReceiverStatus("roof", "beast", "pi:30005")]
PAIRS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "saved picture": (filled(SavedPicture), None),  # type: ignore[dict-item]
    "saved trails": (filled(trail.SavedTrails), lambda v: trail._decoder.decode(trail._encoder.encode(v))),
    "question for a trail": (
        filled(trails_remote._Question),
        through_bus(trails_remote._encoder.encode, trails_remote._questions.decode),
    ),
    "statistics, to the status line": (
        filled(TrackerStatistics),
        through_bus(tracker_encoder.encode, status_line._statistics.decode),
    ),
    "receivers": (RECEIVERS, published),
    "inputs": ([filled(InputStatus)], through_bus(runner._encoder.encode, runner._decoder.decode)),
    "figures": (
        [filled(metrics._Family)],
        through_bus(metrics._encoder.encode, metrics._decoder.decode),
    ),
    "process": (filled(announcer.Process), announced),
    "component": (
        [filled(Component)],
        through_bus(msgspec.json.encode, lambda data: msgspec.json.decode(data, type=list[Component])),
    ),
    "extents": ({"flights": filled(Extent)}, last_extents),
    "location": (filled(Location), location),
    "staged rows": ([filled(StagedRow), StagedRow("3C1234", {}, {})], staged),
    "console session": (filled(ConsoleSession), lambda v: _Serializer.loads(_Serializer.dumps(v))),
    "position in a file": (
        filled(FilePosition),
        lambda v: msgspec.convert(json.loads(json.dumps(msgspec.to_builtins(v))), FilePosition),
    ),
    "message of the bus": (
        Message(
            "topic",
            "event",
            b'{"a": 1}',
            Audience(frozenset({1, 2}), "alerts.manage_all", frozenset({"aircraft.view_military"})),
            True,
            forms=(Form(frozenset({"acars.view_full"}), b"full"), Form(frozenset({"a", "b"}), b"part")),
            id=7,
        ),
        lambda v: unpack("topic", pack(v)),
    ),
}
PAIRS["saved picture"] = (
    SavedPicture(**{**msgspec.structs.asdict(filled(SavedPicture)), "form": encode.__globals__["FORM"]}),
    lambda v: decode(encode(v)),
)


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_encoded_is_decoded_as_it_was(name):
    value, back_and_forth = PAIRS[name]
    assert plain(back_and_forth(value)) == plain(value)


def test_another_tracker_reads_who_published_statistics_and_when():
    statistics = filled(TrackerStatistics)
    heartbeat = through_bus(tracker_encoder.encode, heartbeats._decoder.decode)(statistics)
    assert (heartbeat.at, heartbeat.instance) == (statistics.at, statistics.instance)


def test_a_trail_is_answered_point_by_point():
    points = [
        trail.Point(1.0, 47.0, 8.0, None, True, None, None),
        trail.Point(2.5, 47.1, 8.1, 9000, False, 120.5, 90.0),
    ]
    sent = trails_remote._encoder.encode((3, [tuple(point) for point in points], [2]))
    answer = trails_remote._answers.decode(sent)
    assert (answer.number, answer.counts, [trail.Point(*point) for point in answer.points]) == (3, [2], points)


def rich_sky(seq: int, **members: Any) -> Sky:
    aircraft = {
        "hex": "4b1601",
        "flight": "SWR1",
        "lat": 47.0,
        "lon": 8.0,
        "alt_baro": 3000,
        "r": "HB-JCA",
        "gs": 100.5,
    }
    sky = sky_of({**aircraft, **members}, {"hex": "~4b1602", "alt_baro": "ground"}, seq=seq)
    return dataclasses.replace(sky, left=("4b1609",), epoch="begin")


def same_sky(one: Sky, other: Sky) -> None:
    # What is for the tracker's own monitors, or computed by readers, does not travel.
    local = ("columns", "is_complete", "refused", "disputed", "scratch")
    for field in dataclasses.fields(Sky):
        if field.name not in local:
            assert getattr(one, field.name) == getattr(other, field.name), field.name
    for name, column in one.columns.items():
        np.testing.assert_array_equal(column, other.columns[name], err_msg=name)


def test_a_sky_comes_back_with_every_column():
    sky = rich_sky(1)
    same_sky(from_bytes(to_bytes(sky)), sky)


def test_changes_of_a_sky_lead_to_it():
    before, after = rich_sky(1), rich_sky(2, alt_baro=3100, squawk="7700")
    after.columns["previous_row"][:] = [0, 1]
    same_sky(apply_changes(encode_changes(after, before), from_bytes(to_bytes(before))), after)


def test_a_message_comes_to_the_alert_rules_as_it_was_stored():
    row = AcarsMessage(
        text="DIVERSION",
        label="H1",
        icao_hex="4B1601",
        registration="HB-JCA",
        callsign="SWR12",
        flight="LX12",
        military=True,
        at=NOW,
    )
    inbox = Inbox(all_fields().values())
    sent = for_rules(row)
    inbox.receive(unpack(sent.topic, pack(sent)))
    (message,) = inbox.take()
    assert dataclasses.asdict(message) == {
        "address": "4b1601",
        "at": NOW.timestamp(),
        "texts": {"acars_label": "H1", "acars_text": "DIVERSION"},
        "registration": "HB-JCA",
        "callsign": "SWR12",
        "military": True,
    }


def test_a_delivery_carries_the_body_that_was_enqueued(make_runtime, database_url):
    runtime = make_runtime(database_url=database_url)
    add_users(runtime, 1)
    from skywatch.notify.deliveries import outbox
    from skywatch.notify.models import Channel

    body = {
        "id": 1,
        "rule_name": "Überflug",
        "aircraft": {"lat": 47.123456789, "mlat": [], "alt_baro": "ground"},
        "n": None,
    }
    with writing(runtime.sessions) as session:
        channel = Channel(**_channel_fields())
        session.add(channel)
        session.flush()
        notification = outbox.Notification(
            kind="alert",
            subject_id=1,
            user_id=1,
            priority="warning",
            channel_ids=(channel.id,),
            body=body,
            title="Title",
            text="Text",
            at=NOW,
        )
        assert outbox.enqueue(session, [notification]) == 1
    with runtime.sessions() as session:
        (delivery,) = session.query(Delivery).all()
        sent = compose([delivery], delivery.message_id, NOW)
    assert json.loads(sent.document)["data"] == body
    assert (sent.title, sent.text, sent.priority, delivery.at) == ("Title", "Text", "warning", NOW)


def _channel_fields() -> dict[str, Any]:
    return {
        "user_id": 1,
        "name": "hook",
        "kind": "webhook",
        "address": "https://hooks.example.org/x",
        "enabled": True,
        "minimum_priority": "info",
        "rate_per_minute": 30,
        "state": "healthy",
        "failures": 0,
        "send_cleared": False,
        "created_at": NOW,
        "updated_at": NOW,
    }


# Values of settings that do not take every text.
WRITTEN = {
    "airframes_url": "https://lists.example.org/aircraft.csv.gz",
    "map_pmtiles": "https://maps.example.org/region.pmtiles",
    "map_region_url": "https://maps.example.org/{date}.pmtiles",
    "map_tiles_url": "https://maps.example.org/{z}/{x}/{y}.png",
    "weather_tiles_url": "https://weather.example.org/{z}/{x}/{y}.png",
}


def written(name: str, value: Any) -> str:
    """The text of a value other than the default, as an administrator writes it."""
    if name in WRITTEN:
        return WRITTEN[name]
    field = names_of(SETTINGS).fields[names_of(SETTINGS).single[name]]
    lowest, highest = field.metadata["minimum"], field.metadata["maximum"]
    if isinstance(value, bool):
        return str(not value).lower()
    if isinstance(value, int | float) or value is None:
        number = (value or 0) + 1
        within = number if highest is None or number <= highest else lowest if lowest is not None else value
        return str(within)
    return str(value) or "text"


def storable() -> list[str]:
    names = names_of(SETTINGS)
    stored = {name for name, field in names.single.items() if names.fields[field].metadata["stored"]}
    # It takes networks of this machine alone, which may have none.
    return sorted(stored - {"notify_own_networks"})


@pytest.mark.parametrize("name", storable())
def test_a_stored_setting_is_in_force_as_it_was_written(make_runtime, name):
    runtime = make_runtime()
    field = names_of(SETTINGS).single[name]
    text = written(name, getattr(runtime.settings, field))
    texts = {name: text}
    if name in ("station_lat", "station_lon"):
        texts = {"station_lat": text, "station_lon": text}
    with writing(runtime.sessions) as session:
        stored_settings.change(session, runtime.settings, Actor("root", "console", 1), dict(texts))
    runtime.stored.expire()
    value = getattr(runtime.current, field)
    assert (
        type(value)(text) == value
        if isinstance(value, int | float) and not isinstance(value, bool)
        else (str(value).lower() == text.lower())
    )


def test_when_known_aircraft_were_seen_is_read_as_it_was_saved(make_runtime, database_url):
    runtime = make_runtime(database_url=database_url)
    detections = Detections(1800.0)
    detections.restore({7: 1000.5, 2**40: 1001.25})
    detections.save(runtime.sessions, 1002.0)
    assert detections.read(runtime.sessions) == {7: 1000.5, 2**40: 1001.25}


AT = NOW.timestamp()


def live_session() -> LiveSession:
    """A session of which every stored value differs from its default."""
    return LiveSession(
        1,
        "3c1234",
        Interest(Identification.OPERATOR, "Bundespolizei", military=True),
        started_at=AT - 60,
        callsign="BPO1",
        military=True,
        distance_nm=3.25,
        closest_nm=1.5,
        bearing_deg=91.5,
        closing_kt=-12.5,
        last_seen=AT - 1,
        urgency=55.0,
        peak_urgency=66.0,
        peak_level=ThreatLevel.CRITICAL,
        pattern_keys={"3c1234-1/1"},
        alert_count=3,
        level=ThreatLevel.WARNING,
    )


STORED = (
    "user_id", "address", "interest", "started_at", "callsign", "military", "distance_nm", "closest_nm", "bearing_deg",
    "closing_kt", "last_seen", "urgency", "peak_urgency", "peak_level", "pattern_keys", "alert_count", "level",
)  # fmt: skip


def pattern() -> Pattern:
    kind = next(iter(PatternType))
    return Pattern(
        1,
        "3c1234-1",
        "3c1234",
        kind,
        Confidence.HIGH,
        0.9,
        True,
        AT - 300,
        AT - 10,
        47.1,
        8.1,
        1.25,
        AT - 100,
        {"turns": 4},
    )


@pytest.fixture
def cannonball(make_runtime, database_url):
    runtime = make_runtime(database_url=database_url)
    add_users(runtime, 1)
    add_known(runtime, "3C1234,D-HBPA,Bundespolizei\n")
    return runtime


def test_a_cannonball_session_is_resumed_as_it_was_written(cannonball):
    session = live_session()
    with writing(cannonball.sessions) as db:
        write(
            db,
            [PatternChange("3c1234-1/1", pattern(), False, "BPO1", True), session_change("started", session)],
        )
    with writing(cannonball.sessions) as db:
        (resumed,) = resume_sessions(db, {1}, AT, 300.0, 1.0)
        assert resumed.id == db.query(CannonballSession).one().id
    for name in STORED:
        assert getattr(resumed, name) == getattr(session, name), name


def test_a_pattern_is_continued_as_it_was_written(cannonball):
    change = PatternChange("3c1234-1/1", pattern(), False, "BPO1", True)
    with writing(cannonball.sessions) as db:
        write(db, [change])
    with writing(cannonball.sessions) as db:
        (restored,) = open_patterns(db, AT, 300.0)
    # When it was detected is not stored; nothing asks for it afterwards.
    assert dataclasses.replace(restored.pattern, detected_at=0.0) == dataclasses.replace(
        change.pattern, detected_at=0.0
    )
    assert dataclasses.replace(restored, pattern=change.pattern) == change


def test_the_pause_after_an_alert_is_that_of_the_alert(cannonball):
    """For every type: what tells alerts of one type apart is read from the alert as it was when it was raised."""
    session = live_session()
    flown = pattern()
    subjects = {AlertType.THREAT_ESCALATED: "warning", AlertType.PATTERN_DETECTED: flown.pattern_type.value}
    raised = [
        Occasion(
            kind,
            session.level,
            "title",
            "message",
            subjects.get(kind, ""),
            "3c1234-1/1" if kind is AlertType.PATTERN_DETECTED else None,
            in_doubt=kind is AlertType.LE_DETECTED,
        )
        for kind in AlertType
    ]
    user = TrackedUser(Location(1, 47.0, 8.0, 25.0, AT, AT + 600), STILL)
    with writing(cannonball.sessions) as db:
        alerts = [alert_raised(session, occasion, user, AT) for occasion in raised]
        write(db, [PatternChange("3c1234-1/1", flown, False, "", False), session_change("started", session), *alerts])
        assert db.query(CannonballAlert).count() == len(AlertType)
        assert db.query(FlightPattern).count() == 1
    with writing(cannonball.sessions) as db:
        pauses = recent_pauses(db, AT + 1, 3600.0)
    assert pauses[1, "3c1234"].raised_at == {(o.alert_type, o.subject, o.in_doubt): AT for o in raised}
