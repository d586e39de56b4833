"""A tracker that stands by takes over from one that is killed, frozen or stopped."""

import json
import os
import signal
import time
import urllib.error

import pytest

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
            tracker.start("--role", "tracker", wait=False)
        api.start("--role", "api")
        assert until(lambda: states(api) == ["leading", "standby"], every_s=0.1)
        assert until(lambda: len(api.aircraft()) >= 40)
        yield api, trackers
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


def now_of(api):
    return api.get("/api/v1/aircraft?limit=1")["now"]


def gap_after(api, fault):
    """Seconds without a new picture after a fault."""
    before = now_of(api)
    began = time.monotonic()
    fault()
    # What was under way when the fault came is published still.
    time.sleep(0.2)
    before = max(before, now_of(api))
    assert until(lambda: now_of(api) > before + 0.5, every_s=0.02)
    return time.monotonic() - began


def test_a_standby_takes_over_from_a_killed_tracker(installation):
    api, trackers = installation
    leader, standby = sorted_out(trackers)
    token = health_of(api)["trackers"][0]["token"]
    gap_s = gap_after(api, leader.kill)
    print(f"gap after a kill: {gap_s:.2f} s")
    assert len(api.aircraft()) >= 40
    assert until(lambda: "this tracker leads" in standby.log.read_text())
    assert until(lambda: token not in [tracker["token"] for tracker in health_of(api)["trackers"]], every_s=0.2)
    # The killed one comes back and stands by.
    leader.start("--role", "tracker", wait=False)
    assert until(lambda: states(api) == ["leading", "standby"], every_s=0.1)


def test_a_standby_takes_over_from_a_frozen_tracker_which_ends_once_thawed(installation):
    api, trackers = installation
    leader, standby = sorted_out(trackers)
    gap_s = gap_after(api, lambda: os.kill(leader.process.pid, signal.SIGSTOP))
    print(f"gap after a freeze: {gap_s:.2f} s")
    assert "its session is ended" in standby.log.read_text()
    os.kill(leader.process.pid, signal.SIGCONT)
    try:
        assert until(lambda: leader.process.poll() is not None, every_s=0.1, wait_s=15)
    except AssertionError:
        print(leader.log.read_text()[-3000:], "----", standby.log.read_text()[-2000:])
        raise
    assert leader.process.returncode == 0
    assert len(api.aircraft()) >= 40


def test_sqlite_elects_nobody(tmp_path):
    refused = Service(tmp_path, tracker_standby="true", receiver__demo="simulate aircraft=3").init()
    refused.start(wait=False)
    assert refused.process.wait(60) == 1
    assert "setting tracker_standby: needs PostgreSQL" in refused.log.read_text()
