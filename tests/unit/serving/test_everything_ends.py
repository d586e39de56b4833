"""All that runs on the loop of a process: what it shows in health, publishes and follows, and that it ends."""

from __future__ import annotations

import threading

import pytest

from skywatch.core.election.tracker_election import OnlyTracker
from skywatch.core.telemetry import health
from skywatch.serving.roles import LoopThread, create_services
from skywatch.system import monitor
from tests.waiting import PATIENCE_S, until

# Parts in health, topics that are published without anybody asking, and topics that are followed.
TRACKER = (
    {
        "acars_incomplete", "acars_writer", "airframes", "alerts_rules", "alerts_turns", "alerts_writer",
        "cannonball_detections", "cannonball_list", "cannonball_locations", "cannonball_writer", "feeders",
        "history_writer", "input_tasks", "monitors", "picture", "quality_connections", "quality_places",
        "quality_writer", "receiver_tasks", "retention", "safety_places", "safety_regions", "safety_thresholds",
        "safety_writer", "tracker", "tracker-lock",
    },
    {
        "alerts.rule_faults", "feeders_state", "inputs", "picture", "readsb:statistics", "receivers", "retention",
        "tracker", "trails",
    },
    {
        "accounts", "acars.received", "airframes", "alerts.changed", "cannonball.commands", "cannonball.known",
        "cannonball.locations", "trails:questions",
    },
)  # fmt: skip
REALTIME = (
    {"event_reader", "marked_aircraft", "military_aircraft", "realtime", "receipts_writer", "usage_writer"},
    set(),
    {"accounts", "acars", "alerts", "audio", "picture", "safety", "system"},
)
WORKER = ({"archive", "deliveries"}, set(), {"notify.wake"})


def parts():
    return {component.name for component in health.components()}


def followed(bus):
    return {topic for topic, subscriptions in bus._by_topic.items() if subscriptions}


@pytest.mark.parametrize(
    ("role", "expected"),
    [("tracker", TRACKER), ("worker", WORKER), ("realtime", REALTIME)],
    ids=["tracker", "worker", "realtime"],
)
def test_everything_of_a_role_works_and_nothing_is_left_of_it(make_runtime, monkeypatch, tmp_path, role, expected):
    # Retention lets the clock of a machine settle first.
    monkeypatch.setattr(monitor, "SETTLED_S", 0.0)
    runtime = make_runtime(
        realtime_listen="127.0.0.1:0",
        archive_url=f"file://{tmp_path}/archive",
        **{"receiver.demo": "simulate aircraft=3", "acars.vhf": "udp 127.0.0.1:0"},
    )
    shown, published, follows = expected
    before, threads = parts(), set(threading.enumerate())
    only = runtime.shared(OnlyTracker)
    if role == "tracker":
        only.acquire()
    loop = LoopThread(create_services(runtime, (role,)))
    loop.start()
    try:
        until(lambda: shown <= parts() and published <= set(runtime.bus._last) and follows <= followed(runtime.bus))
        until(lambda: all(component.ok for component in health.components() if component.name in shown))
    except AssertionError:
        # What is missing says more than that something is.
        missing = shown - parts(), published - set(runtime.bus._last), follows - followed(runtime.bus)
        assert missing == (set(), set(), set())
        raise
    finally:
        loop.stop(PATIENCE_S)
        # Callers are remembered for as long as the process lives.
        left = followed(runtime.bus) - {"accounts"}
        only.close()
        runtime.close()
    assert left == set()
    # Nobody waits for a thread that is at its end.
    until(lambda: parts() <= before, "the end of every part of health")

    def are_over() -> bool:
        started = set(threading.enumerate()) - threads
        return all(thread.name.startswith("asyncio_") for thread in started)

    until(are_over, "the end of every thread but the loop's own")
