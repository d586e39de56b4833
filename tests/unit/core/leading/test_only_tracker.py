"""A second tracker of an installation does not start, and one that has lost its lock to another one ends."""

import threading
import time

import msgspec
import pytest

from skywatch.core.bus import Message, topics
from skywatch.core.clock import unix_now
from skywatch.core.database.engine import DatabaseError
from skywatch.core.database.exclusive import exclusive_lock
from skywatch.core.leading import only_tracker
from skywatch.core.leading.only_tracker import OnlyTracker
from skywatch.core.leading.other_trackers import Heartbeat, heartbeat_of
from skywatch.picture.sharing.statistics import TrackerStatistics
from tests.unit.core.database.test_exclusive import end_sessions
from tests.waiting import PATIENCE_S, until


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr("skywatch.core.database.exclusive.FileLock.patience_s", 0.0)
    monkeypatch.setattr(only_tracker, "CHECK_S", 0.05)


@pytest.fixture
def tracker():
    made = []

    def make(runtime, end=None):
        made.append(OnlyTracker(runtime, end))
        return made[-1]

    yield make
    for one in made:
        one.close()


def publish(runtime, instance):
    statistics = TrackerStatistics(at=unix_now(), instance=instance)
    runtime.bus.publish(Message(topics.TRACKER, "statistics", msgspec.json.encode(statistics), snapshot=True))


def test_a_second_tracker_is_refused_until_the_first_has_ended(make_runtime, tracker, impatient):
    first, second = tracker(make_runtime()), tracker(make_runtime())
    first.acquire()
    with pytest.raises(DatabaseError, match=r"^another tracker is at work for this installation: process \d+ holds"):
        second.acquire()
    first.close()
    tracker(make_runtime()).acquire()


def test_a_tracker_that_lost_the_database_keeps_others_from_starting(
    make_runtime, tracker, impatient, redis_url, tmp_path, monkeypatch
):
    monkeypatch.setattr(only_tracker, "LISTEN_S", PATIENCE_S)
    working = make_runtime(bus=redis_url)
    publish(working, "the first")
    newcomer = tracker(make_runtime(bus=redis_url, database_url=f"sqlite:///{tmp_path}/other.sqlite"))
    stop = threading.Event()

    def tick():
        while not stop.wait(0.05):
            publish(working, "the first")

    ticking = threading.Thread(target=tick)
    ticking.start()
    try:
        with pytest.raises(DatabaseError, match="still publishes on the bus"):
            newcomer.acquire()
    finally:
        stop.set()
        ticking.join()


def test_what_a_crashed_tracker_said_last_keeps_nobody_from_starting(
    make_runtime, tracker, impatient, redis_url, monkeypatch
):
    monkeypatch.setattr(only_tracker, "LISTEN_S", 0.05)
    runtime = make_runtime(bus=redis_url)
    publish(runtime, "the one before")
    tracker(runtime).acquire()


def test_a_tracker_ends_where_another_one_has_taken_its_lock(
    make_runtime, tracker, monkeypatch, postgresql_url, caplog
):
    # Time enough for the other one to be quicker, on a busy machine too.
    monkeypatch.setattr(only_tracker, "CHECK_S", 1.0)
    ended = threading.Event()
    tracker(make_runtime(database_url=postgresql_url), ended.set).acquire()
    other = exclusive_lock(postgresql_url, "tracker")

    def overtake():
        end_sessions(postgresql_url)
        try:
            other.take()
        except Exception:
            return False  # the first was quicker to take it again
        return True

    until(overtake)
    assert ended.wait(PATIENCE_S)
    assert "has taken the lock of the database" in caplog.text
    other.close()


def test_a_tracker_that_stood_still_publishes_nothing_while_another_has_its_lock(
    make_runtime, tracker, postgresql_url, monkeypatch
):
    monkeypatch.setattr(only_tracker, "CHECK_S", 3600.0)
    monkeypatch.setattr(only_tracker, "STANDSTILL_S", 0.2)
    ended = threading.Event()
    first = tracker(make_runtime(database_url=postgresql_url), ended.set)
    first.acquire()
    assert first.may_publish()
    time.sleep(0.3)  # as a process that is frozen
    assert not first.may_publish()
    assert first.confirm()
    assert first.may_publish()
    other = exclusive_lock(postgresql_url, "tracker")
    end_sessions(postgresql_url)
    other.take()
    time.sleep(0.3)
    assert not first.may_publish()
    assert not first.confirm()
    assert ended.is_set()
    assert not first.may_publish()
    other.close()


def test_trackers_of_two_databases_on_one_bus_are_reported(make_runtime, tracker, impatient, redis_url, caplog):
    runtime = make_runtime(bus=redis_url)
    tracker(runtime, lambda: pytest.fail("it holds its lock")).acquire()
    publish(runtime, "a stranger")
    until(lambda: "each installation needs a prefix of its own" in caplog.text)


def test_statistics_of_another_form_keep_nobody_from_starting(make_runtime, tracker, impatient, redis_url):
    runtime = make_runtime(bus=redis_url)
    runtime.bus.publish(Message(topics.TRACKER, "statistics", b'{"at": "noon"}', snapshot=True))
    tracker(runtime).acquire()
    assert heartbeat_of(runtime.bus.last(topics.TRACKER)) == Heartbeat()


def test_a_standby_leaves_the_lock_alone_while_the_leader_is_heard(
    make_runtime, tracker, redis_url, postgresql_url, monkeypatch
):
    """With the database all sessions are lost: who takes the lock for a moment would end the tracker that goes on."""
    monkeypatch.setattr(only_tracker, "HEARTBEAT_WITHIN_S", PATIENCE_S)
    shared = {"bus": redis_url, "database_url": postgresql_url}
    leading, standing_by = make_runtime(**shared), make_runtime(**shared)
    leader, standby = tracker(leading), tracker(standing_by)
    leader.stand_by()
    assert leader.is_leading
    standby.stand_by()
    publish(leading, leader.instance)
    until(lambda: standby._others.silent_s() is not None, "a heartbeat")
    # A try that began before the heartbeat is over.
    time.sleep(2 * only_tracker.TRY_EVERY_S)
    with standby._checking:
        leader._lock.close()
    # So many tries that one of them would have taken it.
    time.sleep(5 * only_tracker.TRY_EVERY_S)
    assert not standby.is_leading
    exclusive_lock(postgresql_url, only_tracker.LOCK).take()


def test_a_standby_leads_once_the_leader_is_silent(make_runtime, tracker, redis_url, postgresql_url):
    shared = {"bus": redis_url, "database_url": postgresql_url}
    leading, standing_by = make_runtime(**shared), make_runtime(**shared)
    leader, standby = tracker(leading), tracker(standing_by)
    leader.stand_by()
    standby.stand_by()
    publish(leading, leader.instance)
    until(lambda: standby._others.silent_s() is not None, "a heartbeat")
    leader.close()
    until(lambda: standby.is_leading, "the standby leads")
