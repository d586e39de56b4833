"""A tracker that stands by takes over from one that is killed, frozen or stopped."""

import json
import os
import signal
import time
import urllib.error

import pytest

from skywatch.core.bus import open_bus
from skywatch.core.leading.other_trackers import heartbeat_of
from tests.processes import Service
from tests.waiting import until


@pytest.fixture(params=["redis_url", "nats_url"])
def installation(request, tmp_path_factory, postgresql_url):
    """An api process and two trackers, of which one leads."""
    shared = {"secret": "x" * 40, "bus": request.getfixturevalue(request.param), "auth_mode": "public"}
    shared |= {"database_url": postgresql_url, "receiver__demo": "simulate aircraft=60 seed=3"}
    api = Service(tmp_path_factory.mktemp("api"), **shared)
    trackers = [Service(tmp_path_factory.mktemp(f"tracker{n}"), **shared) for n in range(2)]
    try:
        for tracker in trackers:
            # Their exit codes count: a fork may abort at its end, in a library with threads of its own.
            tracker.start("--role", "tracker", wait=False, new_interpreter=True)
        api.start("--role", "api")
        assert until(lambda: states(api) == ["leading", "standby"], every_s=0.1)
        assert until(lambda: len(api.aircraft()) >= 40)
        yield api, trackers, shared["bus"]
    finally:
        api.stop()
        for tracker in trackers:
            tracker.kill()


def states(api):
    return [tracker["state"] for tracker in health_of(api)["trackers"]]


def health_of(api):
    """The answer of health, whatever its status."""
    try:
        return api.get("/api/v1/system/health")
    except urllib.error.HTTPError as error:
        return json.load(error)


def sorted_out(trackers):
    """The leading and the standing-by process, by what they have logged."""
    leads = [tracker for tracker in trackers if "this tracker leads" in tracker.log.read_text()]
    return leads[-1], next(tracker for tracker in trackers if tracker is not leads[-1])


class Heartbeats:
    """What trackers publish once a second: which of them, and when it came (monotonic s)."""

    def __init__(self, bus):
        self.heard = []
        bus.subscribe(
            ["tracker"], lambda message: self.heard.append((heartbeat_of(message).instance, time.monotonic()))
        )

    def gap_after(self, fault):
        """Seconds between the last heartbeat of the leader and the first of its successor."""
        until(lambda: self.heard)
        leader = self.heard[-1][0]
        fault()
        until(lambda: self.heard[-1][0] != leader)
        last = max(at for instance, at in self.heard if instance == leader)
        first = min(at for instance, at in self.heard if instance != leader and at > last)
        return first - last


@pytest.fixture
def heartbeats(installation):
    bus = open_bus(installation[2])
    yield Heartbeats(bus)
    bus.close()


def test_a_standby_takes_over_from_a_killed_tracker(installation, heartbeats):
    api, trackers, _ = installation
    leader, standby = sorted_out(trackers)
    token = health_of(api)["trackers"][0]["token"]
    gap_s = heartbeats.gap_after(leader.kill)
    print(f"gap after a kill: {gap_s:.2f} s")
    assert len(api.aircraft()) >= 40
    assert until(lambda: "this tracker leads" in standby.log.read_text())
    assert until(lambda: token not in [tracker["token"] for tracker in health_of(api)["trackers"]], every_s=0.2)
    # The killed one comes back and stands by.
    leader.start("--role", "tracker", wait=False)
    assert until(lambda: states(api) == ["leading", "standby"], every_s=0.1)


def test_a_standby_takes_over_from_a_frozen_tracker_which_ends_once_thawed(installation, heartbeats):
    api, trackers, _ = installation
    leader, standby = sorted_out(trackers)
    gap_s = heartbeats.gap_after(lambda: os.kill(leader.process.pid, signal.SIGSTOP))
    print(f"gap after a freeze: {gap_s:.2f} s")
    assert "its session is ended" in standby.log.read_text()
    os.kill(leader.process.pid, signal.SIGCONT)
    assert until(lambda: leader.process.poll() is not None, every_s=0.1)
    assert leader.process.returncode == 0, leader.log.read_text()[-3000:]
    # It published nothing after its successor had begun, but for a message that it was sending when it froze.
    assert "this tracker ends" in leader.log.read_text()
    instances = [instance for instance, _ in heartbeats.heard]
    frozen, successor = dict.fromkeys(instances)
    assert instances[instances.index(successor) :].count(frozen) <= 1
    assert len(api.aircraft()) >= 40


def test_sqlite_elects_nobody(tmp_path):
    refused = Service(tmp_path, tracker_standby="true", receiver__demo="simulate aircraft=3").init()
    refused.start(wait=False)
    assert refused.process.wait(60) == 1
    assert "setting tracker_standby: needs PostgreSQL" in refused.log.read_text()
