"""A second tracker of an installation does not start, and one that has lost its lock to another one ends."""

import threading
import time

import msgspec
import pytest
import sqlalchemy as sa

from skywatch.core.bus import Message, topics
from skywatch.core.clock import unix_now
from skywatch.core.database.engine import DatabaseError
from skywatch.core.database.fencing import next_token, term_of
from skywatch.core.database.locks import AdvisoryLock, LockHeldError, exclusive_lock
from skywatch.core.election import tracker_election
from skywatch.core.election.heartbeats import Heartbeat, heartbeat_of
from skywatch.core.election.tracker_election import OnlyTracker
from skywatch.picture.distribution.statistics import TrackerStatistics
from tests.unit.core.database.test_locks import end_sessions
from tests.waiting import PATIENCE_S, until


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr("skywatch.core.database.locks.FileLock.patience_s", 0.0)
    monkeypatch.setattr(tracker_election, "CHECK_S", 0.05)


@pytest.fixture
def tracker():
    made = []

    def make(runtime, end=None):
        made.append(OnlyTracker(runtime, end))
        return made[-1]

    yield make
    for one in made:
        one.close()


def publish(runtime, instance, epoch=""):
    statistics = TrackerStatistics(at=unix_now(), instance=instance, epoch=epoch)
    runtime.bus.publish(Message(topics.TRACKER, "statistics", msgspec.json.encode(statistics), snapshot=True))


def publish_and_wait(runtime, instance):
    """The bus sends from a queue: who begins to listen before it has sent this would hear it as a new heartbeat."""
    publish(runtime, instance)
    until(lambda: runtime.bus.last(topics.TRACKER), "the heartbeat is on the bus")


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
    monkeypatch.setattr(tracker_election, "LISTEN_S", PATIENCE_S)
    working = make_runtime(bus=redis_url)
    publish_and_wait(working, "the first")
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
    monkeypatch.setattr(tracker_election, "LISTEN_S", 0.05)
    runtime = make_runtime(bus=redis_url)
    publish_and_wait(runtime, "the one before")
    tracker(runtime).acquire()


def test_a_tracker_ends_where_another_one_has_taken_its_lock(
    make_runtime, tracker, monkeypatch, postgresql_url, caplog
):
    # Time enough for the other one to be quicker, on a busy machine too.
    monkeypatch.setattr(tracker_election, "CHECK_S", 1.0)
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
    monkeypatch.setattr(tracker_election, "CHECK_S", 3600.0)
    monkeypatch.setattr(tracker_election, "STANDSTILL_S", PATIENCE_S)
    ended = threading.Event()
    first = tracker(make_runtime(database_url=postgresql_url), ended.set)
    first.acquire()
    until(first._task._first.is_set, "its first look at the lock is over")
    assert first.may_publish()
    first._ticked_at -= 2 * PATIENCE_S  # as a process that was frozen
    assert not first.may_publish()
    assert first.confirm()
    assert first.may_publish()
    other = exclusive_lock(postgresql_url, "tracker")
    end_sessions(postgresql_url)
    other.take()
    first._ticked_at -= 2 * PATIENCE_S
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
    assert heartbeat_of(until(lambda: runtime.bus.last(topics.TRACKER))) == Heartbeat()


@pytest.fixture
def pair(make_runtime, tracker, redis_url, postgresql_url):
    """A leader that publishes when it is told to, and a tracker that stands by and has heard it once."""
    shared = {"bus": redis_url, "database_url": postgresql_url}
    leading, standing_by = make_runtime(**shared), make_runtime(**shared)
    leader, standby = tracker(leading), tracker(standing_by)
    leader.stand_by()
    assert leader.is_leading
    standby.stand_by()
    publish(leading, leader.instance)
    until(lambda: standby._others.silent_s() is not None, "a heartbeat")
    with standby._checking:
        # A look at the lock that began before the heartbeat is over.
        return leader, standby


@pytest.fixture
def heard(monkeypatch):
    """One heartbeat is enough for the whole test."""
    monkeypatch.setattr(tracker_election, "HEARTBEAT_WITHIN_S", 2 * PATIENCE_S)


def test_a_standby_leaves_the_lock_alone_while_the_leader_is_heard(heard, pair, postgresql_url):
    """With the database all sessions are lost: who takes the lock for a moment would end the tracker that goes on."""
    leader, standby = pair
    with standby._checking:
        leader._task.close()
        end_sessions(postgresql_url)
    # So many tries that one of them would have taken it.
    time.sleep(5 * tracker_election.TRY_EVERY_S)
    assert not standby.is_leading
    exclusive_lock(postgresql_url, tracker_election.LOCK).take()


def test_a_standby_leads_at_once_where_the_session_of_the_leader_alone_has_ended(heard, pair):
    leader, standby = pair
    leader.close()
    until(lambda: standby.is_leading, "the standby leads")
    # What was heard of the leader before is no other one that is at work.
    until(standby._task._first.is_set, "a look at the lock")
    assert not standby._doubled.count


def test_a_standby_leads_once_the_leader_is_silent(pair):
    leader, standby = pair
    leader.close()
    until(lambda: standby.is_leading, "the standby leads")


@pytest.fixture
def ended(monkeypatch):
    """When a standby would have ended the session of who leads, which goes on."""
    times = []
    monkeypatch.setattr(AdvisoryLock, "end_holder", lambda lock: times.append(time.monotonic()))
    return times


# Before the pair is there: a heartbeat may be two seconds old before anything else is done.
def test_a_tracker_that_has_just_taken_the_lock_of_a_silent_one_has_time_to_begin(ended, pair, postgresql_url):
    """Of two that stand by the slower one would end the session of the faster one."""
    leader, standby = pair
    until(lambda: ended, "it is silent, and still holds the lock")
    with standby._checking:
        leader._task.close()
        leader._lock.close()
        # Another one that stood by; it publishes nothing either.
        faster = exclusive_lock(postgresql_url, tracker_election.LOCK)
        until(lambda: takes(faster), "the lock is free")
        ended.clear()
        taken_at = time.monotonic()
    until(lambda: ended, "the session of the faster one is ended at last")
    assert ended[0] - taken_at > tracker_election.SILENT_LEADER_S - 0.1
    faster.close()


def takes(lock):
    try:
        lock.take()
    except LockHeldError:
        return False
    return True


@pytest.fixture
def link(make_runtime, tracker, monkeypatch, postgresql_url, redis_url):
    """A leader whose database and bus fail as told, and its ends."""
    monkeypatch.setattr(tracker_election, "CHECK_S", 3600.0)
    monkeypatch.setattr(tracker_election, "LISTEN_S", 0.2)
    runtime, ends = make_runtime(database_url=postgresql_url, bus=redis_url), []
    leader = tracker(runtime, lambda: ends.append(1))
    leader.acquire()
    until(lambda: leader._task._first.is_set())
    works = {"database": True, "bus": True}
    take = leader._lock.take

    def take_or_fail():
        if not works["database"]:
            raise sa.exc.OperationalError("SELECT 1", {}, OSError("away"))
        take()

    monkeypatch.setattr(leader._lock, "take", take_or_fail)
    monkeypatch.setattr(runtime.bus, "healthy", lambda: works["bus"])
    return leader, works, ends, runtime


def test_a_leader_goes_on_while_only_the_database_or_only_the_bus_is_away(link):
    leader, works, ends, _ = link
    works["database"] = False
    assert leader.is_sure()
    assert leader.may_send()
    works["database"], works["bus"] = True, False
    assert not leader.is_sure()
    # The lock is held still.
    leader.confirm()
    works["bus"] = True
    assert leader.is_sure()
    assert not ends


def test_a_leader_that_lost_the_bus_and_the_database_sends_nothing_before_it_is_sure(link):
    leader, works, ends, _ = link
    works["database"] = works["bus"] = False
    assert not leader.may_send()
    # While the bus is away nobody could be heard on it.
    assert not leader.may_send()
    works["bus"] = True
    assert not leader.is_sure()
    # Nobody is heard on a bus that works.
    assert leader.may_send()
    assert leader.is_sure()
    # Deliveries were interrupted.
    leader._doubt()
    assert not leader.is_sure()
    works["database"] = True
    assert leader.may_send()
    assert not ends


def test_a_leader_whose_lock_is_not_confirmed_ends_at_once_where_a_later_one_is_heard(link, monkeypatch, caplog):
    leader, works, ends, runtime = link
    works["database"] = False
    later = Heartbeat(unix_now(), "another", f"{term_of(next_token(leader.fence.token))}-0011223344556677")
    publish(runtime, later.instance, later.epoch)
    time.sleep(0.2)
    assert not ends
    leader._confirmed_at -= 60.0
    # A check that waits for a dead connection.
    with leader._checking:
        publish(runtime, later.instance, later.epoch)
        until(lambda: ends)
    assert not leader.may_send()
    assert caplog.text.count("this tracker ends") == 1


def test_a_slow_tick_is_reported_all_the_same(link, monkeypatch):
    leader, _, _, _ = link
    monkeypatch.setattr(leader, "_standstill_s", 0.05)
    assert leader.may_publish()
    time.sleep(0.1)
    # What was made in it is sent once the lock is confirmed, and its heartbeat keeps a standby from taking over.
    assert not leader.is_sure()
    assert leader.is_in_touch()
    assert leader.may_send()
