"""Each member of the system's documents says what the tracker published, and to whom."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from skywatch.core.bus import Message
from skywatch.core.clock import unix_now
from skywatch.inputs.base import InputStatus
from skywatch.picture.distribution.statistics import TrackerStatistics
from skywatch.receivers.base import AnonymousFeeder, ReceiverStatus
from skywatch.security.permissions import Permission
from skywatch.system.health import checks
from tests.identities import as_role, install

T0 = datetime(2026, 5, 1, 12, 0, tzinfo=UTC).timestamp()
COMMON = {
    "name": "roof", "state": "waiting", "message_rate": 10.5, "messages": 7, "reconnects": 4,
    "invalid": {"json": 2, "hex": 1}, "last_error": "refused",
    "last_message_at": T0 + 1, "last_error_at": T0 + 2, "since": T0 + 3,
}  # fmt: skip
# What is no sentence of the service has no code.
UNCODED = {"last_error_code": None, "last_error_params": None}
TIMES = {
    "last_message_at": "2026-05-01T12:00:01Z",
    "last_error_at": "2026-05-01T12:00:02Z",
    "since": "2026-05-01T12:00:03Z",
}
ROOF = ReceiverStatus(
    kind="beast", address="host:30005", positions=5, position_rate=2.5, range_nm=450.0,
    anonymous=[AnonymousFeeder("anonymous-1", T0, 1.5, 0.5, 3)], **COMMON,
)  # fmt: skip
VHF = InputStatus(
    kind="udp", address="127.0.0.1:5550", family="acars", stored=5, dropped=6, refused=8, connections=9, **COMMON
)  # fmt: skip
MANAGES = as_role("admin")
# Sees the status, and neither addresses nor errors.
SEES = as_role(None, 7, None, Permission.SYSTEM_VIEW_STATUS)


@pytest.fixture
def client(make_client):
    client = install(make_client(auth_mode="private"))
    now = unix_now()
    statistics = TrackerStatistics(
        at=now - 3, started_at=now - 60, aircraft=12, with_position=9, messages=70, message_rate=7.5,
        tick_mean_s=0.0123456, tick_max_s=0.0987654,
    )  # fmt: skip
    publish(client, "tracker", "statistics", statistics)
    publish(client, "receivers", "status", [ROOF])
    publish(client, "inputs", "status", [VHF])
    return client


def publish(client, topic, event, document):
    client.runtime.bus.publish(Message(topic, event, msgspec.json.encode(document), snapshot=True))


def get(client, path, headers=MANAGES):
    return client.get(f"/api/v1/system/{path}", headers=headers)


@pytest.mark.parametrize(
    ("headers", "address", "error"), [(MANAGES, "host:30005", "refused"), (SEES, None, None)], ids=["manages", "sees"]
)
def test_a_receiver(client, headers, address, error):
    assert get(client, "receivers", headers).json["receivers"] == [
        {
            "name": "roof", "kind": "beast", "address": address, "state": "waiting", "message_rate": 10.5,
            "position_rate": 2.5, "messages": 7, "positions": 5, "reconnects": 4, "last_error": error,
            "invalid": {"json": 2, "hex": 1}, "range_nm": 450, **TIMES, **UNCODED,
            "anonymous": [
                {
                    "name": "anonymous-1", "connected_since": "2026-05-01T12:00:00Z", "message_rate": 1.5,
                    "position_rate": 0.5, "aircraft": 3,
                }
            ],
        }
    ]  # fmt: skip


def test_inputs(client):
    common = {
        "name": "roof", "state": "waiting", "message_rate": 10.5, "received": 7, "invalid": 3,
        "reasons": {"json": 2, "hex": 1}, "reconnects": 4, "last_error": "refused", **TIMES,
        **UNCODED,
    }  # fmt: skip
    receiver = {
        "family": "receiver", "kind": "beast", "address": "host:30005", "stored": None, "dropped": 0, "refused": 0,
        "connections": 0, **common,
    }  # fmt: skip
    acars = {
        "family": "acars", "kind": "udp", "address": "127.0.0.1:5550", "stored": 5, "dropped": 6, "refused": 8,
        "connections": 9, **common,
    }  # fmt: skip
    assert get(client, "inputs").json["inputs"] == [receiver, acars]
    hidden = {"address": None, "last_error": None}
    assert get(client, "inputs", SEES).json["inputs"] == [receiver | hidden, acars | hidden]


def test_the_figures_of_the_status(client):
    status = get(client, "status").json
    assert (status["messages"], status["message_rate"]) == (70, 7.5)
    assert (status["tick_mean_s"], status["tick_max_s"]) == (0.01235, 0.09877)
    assert 3 <= status["tick_age_s"] < 60
    assert status["uptime_s"] - status["tick_age_s"] == pytest.approx(57, abs=0.2)
    assert (status["receivers"], status["receivers_connected"]) == (1, 0)


def test_an_age_is_never_negative_where_clocks_differ(client):
    publish(client, "tracker", "statistics", TrackerStatistics(at=unix_now() + 1000, started_at=unix_now()))
    assert get(client, "status").json["tick_age_s"] == 0


def test_health_leaves_out_inputs_where_there_are_none(client):
    assert "inputs" in [check["name"] for check in get(client, "status").json["checks"]]
    publish(client, "inputs", "status", [])
    assert "inputs" not in [check["name"] for check in get(client, "status").json["checks"]]


@pytest.mark.parametrize(("free", "detail"), [(199_999_999, "only 200 MB free"), (200_000_000, "200 MB free")])
def test_the_disk_is_in_megabytes_and_200_are_enough(client, monkeypatch, free, detail):
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": free}))
    disk = next(check for check in get(client, "status").json["checks"] if check["name"] == "disk")
    assert (disk["ok"], disk["detail"]) == (free == 200_000_000, detail)
    assert get(client, "status").json["database"]["disk_free_bytes"] == free


def test_no_cache_keeps_metrics(client):
    assert get(client, "metrics").headers["Cache-Control"] == "no-store"
