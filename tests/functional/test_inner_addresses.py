"""Where receivers, inputs and services are, and files lie, is told to those alone who manage the installation."""

import re
from contextlib import closing

import msgspec
import pytest

from skywatch.core.bus import Message, topics
from skywatch.core.clock import unix_now
from skywatch.core.process.announcer import Announcer
from skywatch.core.telemetry import health
from skywatch.inputs.base import InputStatus
from skywatch.picture.distribution.statistics import TrackerStatistics
from skywatch.receivers.base import ReceiverStatus
from skywatch.security.permissions import Permission
from skywatch.system.health.redaction import without_hosts
from skywatch.system.monitor import SystemMonitor
from tests.identities import as_role, install_with_users

PRIVATE = ("10.66.77.88", "30005", "attic-pc", ":70007", "acars.lan", "/srv/radio", "db.lan", "fd00:")
EVERYTHING_ELSE = [permission for permission in Permission if permission != Permission.SYSTEM_MANAGE]
VIEWER, OPERATOR, ADMIN = as_role("viewer", 1), as_role("operator", 1, None, *EVERYTHING_ELSE), as_role("admin", 2)


@pytest.fixture
def client(make_client, monkeypatch):
    client = install_with_users(make_client(auth_mode="hybrid"))
    now = unix_now()
    said = {"last_error": "[Errno 111] Connect call failed ('10.66.77.88', 30005)", "last_error_at": now}
    roof = ReceiverStatus("roof", "beast", "10.66.77.88:30005", state="waiting", **said)
    acars = InputStatus("vhf", "tcp", "acars.lan:15550", family="acars", state="failed", **said)
    folder = InputStatus("tower", "folder", "/srv/radio", family="audio", state="failed", last_error="no /srv/radio/a")
    _publish(client, topics.TRACKER, TrackerStatistics(at=now, started_at=now - 60))
    _publish(client, topics.RECEIVERS, [roof])
    _publish(client, topics.INPUTS, [acars, folder])
    monkeypatch.setattr("socket.gethostname", lambda: "attic-pc")
    monkeypatch.setattr("os.getpid", lambda: 70_007)
    health.report("audio_folders", False, "tower: [Errno 13] Permission denied: '/srv/radio/a b.wav'")
    health.report("history_writer", False, 'connection to server at "db.lan" (fd00::5), port 5432 failed: refused')
    health.report("realtime", False, "10.66.77.88:30005 refuses")
    Announcer(client.runtime.bus, ["tracker"]).announce()
    yield client
    for name in ("audio_folders", "history_writer", "realtime"):
        health.withdraw(name)


def _publish(client, topic, document):
    client.runtime.bus.publish(Message(topic, "status", msgspec.json.encode(document), snapshot=True))


def _private(text):
    # Not within a longer number, such as a figure of the metrics.
    return {word for word in PRIVATE if re.search(rf"(?<![\d.]){re.escape(word)}(?!\d)", text)}


@pytest.mark.parametrize("path", ["receivers", "inputs", "status", "health", "metrics", "info"])
def test_only_who_manages_the_installation_learns_addresses(client, path):
    told = client.get(f"/api/v1/system/{path}", headers=OPERATOR, expect_errors=True)
    assert (told.status_int, _private(told.text)) == (200, set())
    for headers in (VIEWER, {}):
        assert _private(client.get(f"/api/v1/system/{path}", headers=headers, expect_errors=True).text) == set()
    shown = _private(client.get(f"/api/v1/system/{path}", headers=ADMIN).text)
    assert (
        shown
        >= {
            "receivers": {"10.66.77.88", "30005"},
            "inputs": {"10.66.77.88", "30005", "acars.lan", "/srv/radio"},
            "status": {"attic-pc", ":70007", "/srv/radio", "db.lan", "fd00:", "10.66.77.88"},
            "health": set(),
            "metrics": {"attic-pc", ":70007"},
            "info": set(),
        }[path]
    )


def test_everything_else_is_told_to_who_may_see_the_status(client):
    receiver = client.get("/api/v1/system/receivers", headers=VIEWER).json["receivers"][0]
    assert (receiver["address"], receiver["last_error"]) == (None, None)
    assert (receiver["name"], receiver["kind"], receiver["state"]) == ("roof", "beast", "waiting")
    assert receiver["last_error_at"] is not None
    full = client.get("/api/v1/system/receivers", headers=ADMIN).json["receivers"][0]
    assert {**full, "address": None, "last_error": None} == receiver
    checks = {c["name"]: c["detail"] for c in client.get("/api/v1/system/health", expect_errors=True).json["checks"]}
    assert checks["audio_folders"] == "tower: [Errno 13] Permission denied: …"
    assert checks["history_writer"] == "connection to server failed: refused"
    assert checks["realtime"] == "… refuses"


def test_a_process_keeps_its_label_where_its_host_is_not_told(client):
    def labels(headers):
        lines = client.get("/api/v1/system/metrics", headers=headers).text.splitlines()
        return {line.partition('process="')[2].partition('"')[0] for line in lines if not line.startswith("#")}

    assert labels(ADMIN) == {"tracker@attic-pc:70007"}
    (label,) = labels(OPERATOR)
    assert label.startswith("tracker@")
    assert labels(OPERATOR) == {label}


def test_the_event_is_told_likewise(client):
    heard = []
    with closing(client.runtime.bus.subscribe(["system"], heard.append)):
        SystemMonitor(client.runtime).publish()
    for message in heard:
        assert _private(message.data_for(frozenset(map(str, EVERYTHING_ELSE))).decode()) == set()
    (message,) = heard
    assert _private(message.data_for(frozenset(map(str, Permission))).decode()) >= {"10.66.77.88", "/srv/radio"}


@pytest.mark.parametrize(
    ("detail", "shown"),
    [
        ("Redis cannot be reached: Error 111 connecting to cache.lan:6379. Connection refused.",
         "Redis cannot be reached: Error 111 connecting. Connection refused."),
        ('connection failed: connection to server at "::1", port 5432 failed: FATAL: no',
         "connection failed: connection to server failed: FATAL: no"),
        ("connecting to [fe80::1]:6379 failed", "connecting failed"),
        ("[Errno 111] Connect call failed ('::1', 30005, 0, 0)", "[Errno 111] Connect call failed ('…', 30005, 0, 0)"),
        ("dial fe80::1%eth0 or 2001:db8:1:2:3:4:5:6 failed", "dial … or … failed"),
        ('could not translate host name "db" to address', "could not translate host name … to address"),
        ('Could not connect to the endpoint: "http://minio:9000/b?x=1"', "Could not connect to the endpoint: …"),
        ("no servers available for nats://user@n1:4222", "no servers available for …"),
        ("certificate is not valid for 'mqtt.example.org'", "certificate is not valid for '…'"),
        ("HTTPSConnectionPool(host='api.example.org', port=443): no", "HTTPSConnectionPool(host='…', port=443): no"),
        ("ssh admin@pi failed", "ssh … failed"),
        ("[Errno 13] Permission denied: '/srv/radio recordings/a.wav'", "[Errno 13] Permission denied: …"),
        ("[Errno 2] No such file: 'recordings/a.wav'", "[Errno 2] No such file: …"),
        ("unable to open database file /var/lib/skywatch/x.db, ~/x.db", "unable to open database file …, …"),
        # What names no place is left as it is.
        ("cannot be written: database or disk is full", None),
        ("1 of 2 not connected: garden", None),
        ("the newest is of 2026-07-01T12:30:45Z", None),
        ("2026-07-01 waits: flights, positions will still change", None),
        ("last at 12:30:45, 3.5 s ago, 12 MB/s and/or 7/8, e.g. this (i.e. that). See the log.", None),
    ],
)  # fmt: skip
def test_details_that_everybody_sees_name_no_place(detail, shown):
    assert without_hosts(detail) == (detail if shown is None else shown)
