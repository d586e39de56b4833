"""The service tells its state truthfully: to everybody whether it is ready, to some how it is."""

import logging
import re
import sys
from contextlib import closing
from datetime import datetime, timedelta

import msgspec
import pytest
import sqlalchemy as sa
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.exc import OperationalError

import skywatch
from skywatch.acars.metrics import ACARS_MESSAGES
from skywatch.core.bus import Message
from skywatch.core.clock import unix_now
from skywatch.core.database.engine import writing
from skywatch.core.feature import Feature, FeatureSet
from skywatch.core.process import announcer
from skywatch.core.process.announcer import Announcer
from skywatch.core.runtime import Runtime
from skywatch.core.storage.retention_clock import RetentionClock
from skywatch.core.telemetry import health, logs
from skywatch.core.telemetry.metrics import REGISTRY, export
from skywatch.features import FEATURES
from skywatch.history.metrics import HISTORY_POINTS, HISTORY_POSITIONS
from skywatch.history.models import Flight
from skywatch.inputs.base import InputStatus
from skywatch.picture import metrics
from skywatch.picture.distribution.statistics import TrackerStatistics
from skywatch.realtime.metrics import REALTIME_SENT
from skywatch.receivers.base import ReceiverStatus
from skywatch.safety.metrics import SAFETY_ACTIVE, SAFETY_EVENTS
from skywatch.security.permissions import Permission
from skywatch.settings import load_with_origins
from skywatch.system.health import checks
from skywatch.system.monitor import SystemMonitor
from tests.clocks import doubted, kept
from tests.identities import as_role, install
from tests.unit.history.stored import row
from tests.waiting import PATIENCE_S

VIEWER, ANALYST = as_role("viewer"), as_role("analyst")


@pytest.fixture(params=["hybrid", "private", "public"])
def client(request, make_client):
    return install(make_client(auth_mode=request.param, station_lat=47, station_lon=8))


@pytest.fixture
def component():
    names = []

    def report(name, *args, **kw):
        names.append(name)
        health.report(name, *args, **kw)

    yield report
    for name in names:
        health.withdraw(name)


def tick(client, age_s=0.0, **states):
    bus = client.runtime.bus
    said = TrackerStatistics(at=unix_now() - age_s, started_at=unix_now() - 60, aircraft=12, with_position=9)
    said.military, said.military_with_position = 3, 1
    bus.publish(Message("tracker", "statistics", msgspec.json.encode(said), snapshot=True))
    receivers = [
        ReceiverStatus(name, "beast", "host:30005", state=state, message_rate=10.5) for name, state in states.items()
    ]
    bus.publish(Message("receivers", "status", msgspec.json.encode(receivers), snapshot=True))


def get(client, path, headers=None, status=200, **query):
    return client.get(f"/api/v1/system/{path}", query, headers=headers or {}, status=status)


def check(answer, name):
    return next(c for c in answer["checks"] if c["name"] == name)


def test_before_the_first_tick_the_service_lives_and_is_not_ready(client):
    assert get(client, "health", probe="live").json["live"] is True
    answer = get(client, "health", status=503)
    assert answer.headers["Retry-After"]
    assert (answer.json["status"], answer.json["ready"]) == ("failing", False)
    assert check(answer.json, "tracker")["detail"] == "no picture has been computed yet"
    assert check(answer.json, "database")["ok"]


def test_without_the_bus_nobody_claims_to_know_the_tracker(client, monkeypatch):
    tick(client, roof="connected")
    monkeypatch.setattr(client.runtime.bus, "healthy", lambda: False)
    monkeypatch.setattr(client.runtime.bus, "last", lambda topic: None)
    answer = get(client, "health", status=503).json
    details = {name: check(answer, name)["detail"] for name in ("bus", "tracker", "receivers")}
    assert details["bus"] == "does not answer"
    assert details["tracker"] == details["receivers"] == "unknown: the bus does not work"


def test_with_a_tick_and_a_receiver_it_is_ready(client):
    tick(client, roof="connected")
    answer = get(client, "health").json
    assert (answer["status"], answer["ready"]) == ("ok", True)


def test_an_old_tick_is_no_tick(client):
    tick(client, age_s=42, roof="connected")
    answer = get(client, "health", status=503).json
    assert re.fullmatch(r"the last picture is 4[2-9] s old", check(answer, "tracker")["detail"])


def test_a_receiver_that_is_down_degrades(client):
    tick(client, roof="connected", garden="waiting")
    answer = get(client, "health").json
    assert (answer["status"], answer["ready"]) == ("degraded", True)
    assert check(answer, "receivers")["detail"] == "1 of 2 not connected: garden"


def test_a_receiver_whose_positions_are_out_of_range_degrades(client):
    far = ReceiverStatus("far", "beast", "host:30005", state="connected", range_nm=450.0)
    far.invalid, far.positions = {"position_out_of_range": 1_200}, 3
    tick(client)
    client.runtime.bus.publish(Message("receivers", "status", msgspec.json.encode([far]), snapshot=True))
    answer = get(client, "health").json
    assert answer["status"] == "degraded"
    assert check(answer, "receivers")["detail"] == (
        "1 connected; far: 1,200 positions beyond 450 nm of its place were refused (options place= and range_nm=)"
    )
    far.invalid, far.positions = {"position_out_of_range": 2}, 30_000
    client.runtime.bus.publish(Message("receivers", "status", msgspec.json.encode([far]), snapshot=True))
    answer = get(client, "health").json
    assert (answer["status"], check(answer, "receivers")["ok"]) == ("ok", True)
    assert "far: 2 positions beyond 450 nm" in check(answer, "receivers")["detail"]


def test_a_writer_that_cannot_write_is_shown_with_its_reason(client, component):
    tick(client, roof="connected")
    component("history_writer", False, "cannot be written: database or disk is full", waiting=77)
    Announcer(client.runtime.bus, ["tracker"]).announce()
    answer = get(client, "health").json
    assert answer["status"] == "degraded"
    assert check(answer, "history_writer")["detail"].endswith("disk is full")
    shown = get(client, "status", VIEWER).json["processes"][0]
    writer = next(c for c in shown["components"] if c["name"] == "history_writer")
    assert writer["figures"]["waiting"] == 77


def test_too_little_room_on_the_disk_degrades(client, monkeypatch):
    tick(client, roof="connected")
    monkeypatch.setattr(checks, "MIN_FREE_BYTES", 10**18)
    answer = get(client, "health").json
    assert answer["status"] == "degraded"
    assert check(answer, "disk")["detail"].startswith("only ")


@pytest.mark.parametrize("probe", ["", "?probe=live", "?probe=ready"])
@pytest.mark.parametrize(
    "wrong", [{"Authorization": "Bearer no.real.token"}, {"Authorization": "nonsense"}, {"X-API-Key": "sk_unknown"}]
)
def test_health_does_not_look_at_credentials(client, probe, wrong):
    tick(client, roof="connected")
    assert get(client, "health" + probe, wrong).json["live"] is True
    assert client.get("/api/v1/system/status", headers=wrong, status=401)


def test_without_the_database_health_still_answers(client, monkeypatch):
    tick(client, roof="connected")
    engine = client.runtime.engine
    engine.dispose()

    def refuse(*args, **kw):
        raise OperationalError("SELECT 1", {}, Exception("gone"))

    monkeypatch.setattr(type(engine), "connect", refuse)
    answer = get(client, "health", status=503).json
    assert check(answer, "database") == {
        "name": "database",
        "ok": False,
        "required": True,
        "detail": "does not answer",
        "detail_code": "health.no_answer",
        "detail_params": {},
    }
    assert get(client, "health", probe="live").status_code == 200


def test_what_the_rest_needs(make_client):
    client = install(make_client(auth_mode="hybrid"))
    for path in ("status", "info", "receivers", "inputs", "metrics", "retention"):
        assert get(client, path, status=401).json["code"] == "authentication_required"
    for path in ("status", "info", "receivers", "inputs", "retention"):
        get(client, path, VIEWER)
    assert get(client, "metrics", VIEWER, 403).json["code"] == "permission_denied"
    get(client, "metrics", ANALYST)


def test_status_information_and_receivers(client):
    tick(client, roof="connected")
    status = get(client, "status", ANALYST).json
    assert (status["aircraft"], status["aircraft_with_position"]) == (12, 9)
    assert (status["receivers"], status["receivers_connected"]) == (1, 1)
    assert status["database"]["bytes"] > 0
    assert 60 <= status["uptime_s"] < 60 + PATIENCE_S
    information = get(client, "info", VIEWER).json
    assert information["station"] == {"lat": 47, "lon": 8}
    receiver = get(client, "receivers", VIEWER).json["receivers"][0]
    assert (receiver["name"], receiver["state"], receiver["message_rate"]) == ("roof", "connected", 10.5)


@pytest.mark.deep("costs over a processor second")
def test_totals_are_of_what_the_caller_may_see(client):
    tick(client, roof="connected")
    metrics.PICTURE_AIRCRAFT.labels("true").set(3)
    metrics.PICTURE_AIRCRAFT.labels("false").set(9)
    REALTIME_SENT.labels("military").inc()
    SAFETY_EVENTS.labels("emergency", "true").inc()
    SAFETY_ACTIVE.labels("true").set(1)
    ACARS_MESSAGES.labels("vdl2", "true").inc()
    HISTORY_POSITIONS.labels("true").inc()
    HISTORY_POINTS.labels("true").inc()
    with writing(client.runtime.sessions) as session:
        session.execute(sa.insert(Flight), [row(1, "4B1620"), row(2, "43C001", military=True)])
    scrapes = as_role(None, 7, None, Permission.SYSTEM_VIEW_METRICS, Permission.SYSTEM_VIEW_STATUS)
    key = as_role("superadmin", 8, ["system"])
    everything = as_role("superadmin", 8, ["system", "aircraft"])
    open_to_all = client.runtime.settings.auth_mode == "public"
    for headers, military in ((scrapes, open_to_all), (key, False), (ANALYST, True), (everything, True)):
        status = get(client, "status", headers).json
        assert (status["aircraft"], status["aircraft_with_position"]) == ((12, 9) if military else (9, 8))
        assert "aircraft" not in [name for p in status["processes"] for c in p["components"] for name in c["figures"]]
        text = get(client, "metrics", headers).text
        assert ('military="true"' in text) == ('topic="military"' in text) == military
        assert 'skywatch_picture_aircraft{military="false"' in text
        kinds = {kind["kind"]: kind["rows"] for kind in get(client, "retention", headers).json["kinds"]}
        assert kinds["flights"] == (2 if military else 1)


def test_inputs_are_shown_with_the_receivers_and_count_for_health(client):
    tick(client, roof="connected")
    vhf = InputStatus(
        "vhf", "udp", "127.0.0.1:5550", family="acars", state="listening", messages=7, stored=5, dropped=2
    )
    vhf.invalid = {"json": 2, "too_long": 1}
    publish_inputs(client, vhf, InputStatus("old", "file", "/old.log", family="acars", state="ended"))
    answer = get(client, "inputs", VIEWER).json
    assert answer["count"] == 3
    receiver, acars, _ = answer["inputs"]
    second = get(client, "inputs?limit=1&offset=1", VIEWER).json
    assert (second["count"], second["inputs"]) == (3, [acars])
    assert second["next"].endswith("/api/v1/system/inputs?limit=1&offset=2")
    assert (receiver["family"], receiver["name"], receiver["stored"]) == ("receiver", "roof", None)
    counts = {name: acars[name] for name in ("received", "stored", "dropped", "refused", "invalid")}
    assert counts == {"received": 7, "stored": 5, "dropped": 2, "refused": 0, "invalid": 3}
    assert acars["reasons"] == {"json": 2, "too_long": 1}
    assert check(get(client, "health").json, "inputs")["ok"] is True
    vhf.state = "waiting"
    publish_inputs(client, vhf)
    answer = get(client, "health").json
    assert answer["status"] == "degraded"
    assert check(answer, "inputs")["detail"] == "1 of 1 do not work: acars.vhf"


def publish_inputs(client, *statuses):
    client.runtime.bus.publish(Message("inputs", "status", msgspec.json.encode(statuses), snapshot=True))


def test_metrics_are_prometheus_text_with_routes_and_statuses(client):
    get(client, "health", probe="live")
    client.get("/nothing/at/all", status=404)
    response = get(client, "metrics", ANALYST)
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = {
        (s.labels["route"], s.labels["status"])
        for family in text_string_to_metric_families(response.text)
        for s in family.samples
        if s.name == "skywatch_http_requests_total"
    }
    assert ("/api/v1/system/health", "200") in found
    assert ("(none)", "404") in found
    assert "/nothing/at/all" not in response.text


def test_metrics_of_every_feature_are_exported_before_anything_uses_them(sqlite_url):
    name = "tests.functional.declared_metrics"
    kind = FeatureSet([*FEATURES, Feature(name="balloons", metrics=name)]).settings()
    texts = {"secret": "x" * 40, "database_url": sqlite_url, "bus": "memory"}
    with closing(Runtime.open(load_with_origins(kind, texts, {})[0])) as runtime:
        skywatch.make_app(runtime)
    try:
        assert b"skywatch_declared" in export()
    finally:
        if name in sys.modules:
            REGISTRY.unregister(sys.modules.pop(name).BALLOONS)


def test_metrics_of_another_process_are_on_the_page_until_it_is_gone(client):
    other = Announcer(client.runtime.bus, ["realtime"])
    other.name = "realtime@elsewhere:7"
    other.announce()
    assert 'process="realtime@elsewhere:7"' in get(client, "metrics", as_role("admin")).text
    other.close()
    assert "elsewhere" not in get(client, "metrics", as_role("admin")).text
    assert announcer.processes(client.runtime.bus) == []


def test_retention_shows_limits_and_what_there_is(client):
    answer = get(client, "retention", VIEWER).json
    positions = next(kind for kind in answer["kinds"] if kind["kind"] == "positions")
    assert (positions["keep_days"], positions["rows"], positions["oldest_at"]) == (90, 0, None)


def test_retention_says_why_it_waits_and_what_is_left(client):
    stored = [kept("positions", 90, 100)]
    RetentionClock(client.runtime.sessions).begin(stored)
    answer = get(client, "retention", VIEWER).json
    positions = next(kind for kind in answer["kinds"] if kind["kind"] == "positions")
    assert (positions["left_days"], answer["hold"]) == (7, None)
    doubted(client.runtime.sessions, 30, stored)
    hold = get(client, "retention", VIEWER).json["hold"]
    assert hold["reason"] == "the clock was set forward by 30 days"
    assert datetime.fromisoformat(hold["until"]) - datetime.fromisoformat(hold["since"]) == timedelta(days=7)


def test_the_event_is_the_document_of_the_call(client):
    tick(client, roof="connected")
    heard = []
    subscription = client.runtime.bus.subscribe(["system"], heard.append)
    SystemMonitor(client.runtime).publish()
    subscription.close()
    assert heard[0].event == "system:status"
    analyst = frozenset({"aircraft.view_military"})
    event, answer = msgspec.json.decode(heard[0].data_for(analyst)), get(client, "status", ANALYST).json
    assert event.keys() == answer.keys()
    assert (event["aircraft"], event["aircraft_with_position"]) == (12, 9)
    plain = msgspec.json.decode(heard[0].data_for(frozenset()))
    assert (plain["aircraft"], plain["aircraft_with_position"]) == (9, 8)
    assert plain | {name: event[name] for name in ("aircraft", "aircraft_with_position")} == event
    # The room on the disk changes meanwhile.
    event_checks, answer_checks = (
        [check for check in said["checks"] if check["name"] != "disk"] for said in (event, answer)
    )
    assert event_checks == answer_checks


def test_hosts_and_process_numbers_are_for_those_who_manage_the_installation(client, component, monkeypatch):
    tick(client, roof="connected")
    monkeypatch.setattr("socket.gethostname", lambda: "attic-pc")
    faulty = 'connection to server at "db.lan" (10.0.0.5), port 5432 failed: refused'
    component("history_writer", False, faulty)
    bus = client.runtime.bus
    for number, roles in ((7, ["api"]), (8, ["api"]), (9, ["tracker", "worker"])):
        monkeypatch.setattr("os.getpid", lambda number=number: 70_000 + number)
        Announcer(bus, roles).announce()
    heard = []
    with closing(bus.subscribe(["system"], heard.append)):
        SystemMonitor(client.runtime).publish()
    (message,) = heard
    managing = frozenset({"system.manage", "aircraft.view_military"})
    for permissions, headers in ((frozenset(), VIEWER), (managing - {"system.manage"}, ANALYST)):
        for said in (message.data_for(permissions).decode(), get(client, "status", headers).text):
            assert not any(private in said for private in ("attic-pc", ":70007", "db.lan", "10.0.0.5", "port 5432"))
            names = [process["name"] for process in msgspec.json.decode(said)["processes"]]
            assert names == ["api", "api 2", "tracker+worker"]
    for said in (message.data_for(managing).decode(), get(client, "status", as_role("admin")).text):
        assert [p["name"] for p in msgspec.json.decode(said)["processes"]][:2] == [
            "api@attic-pc:70007",
            "api@attic-pc:70008",
        ]
        assert "db.lan" in said
    assert "db.lan" not in get(client, "health").text


def test_log_lines_of_a_request_carry_its_id(client, monkeypatch):
    seen = []

    class Remember(logging.Handler):
        def emit(self, record):
            seen.append(logs.request_id.get())

    handler = Remember()
    logging.getLogger("skywatch").addHandler(handler)
    monkeypatch.setattr("skywatch.system.views.checks.all_checks", lambda runtime: 1 / 0)
    try:
        client.get("/api/v1/system/health", headers={"X-Request-ID": "trace-me-please"}, status=500)
    finally:
        logging.getLogger("skywatch").removeHandler(handler)
    assert "trace-me-please" in seen
    assert logs.request_id.get() is None
