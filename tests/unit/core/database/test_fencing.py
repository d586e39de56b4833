"""Once another process has taken over, nothing of the one before is committed, whatever it was about to write."""

import logging
import threading

import pytest
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database import fencing
from skywatch.core.database.engine import create_engine, create_session_factory, outage_of, writing
from skywatch.core.database.fencing import Fence, FencedError, fenced, next_token, term_of
from skywatch.core.database.models import StoredSetting
from skywatch.core.storage.queue import WriteQueue
from skywatch.core.storage.writer import BackgroundWriter
from skywatch.core.telemetry import metrics
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.log_limiter import RepeatLimiter
from tests.waiting import PATIENCE_S, until


@pytest.fixture
def sessions(database_url):
    engine = create_engine(database_url)
    yield create_session_factory(engine)
    engine.dispose()


def store(session, name):
    session.add(StoredSetting(name=name, value="", sealed=False, updated_at=utcnow(), updated_by="test"))


def stored(sessions):
    with sessions() as session:
        return set(session.scalars(sa.select(StoredSetting.name)))


def test_a_transaction_is_refused_once_another_process_has_taken_over(sessions):
    lost = []
    first, second = Fence("test", lambda: lost.append(1)), Fence("test")
    first.take(sessions)
    with writing(fenced(sessions, first)) as session:
        store(session, "before")
    second.take(sessions)
    with pytest.raises(FencedError), writing(fenced(sessions, first)) as session:
        store(session, "after")
    with writing(fenced(sessions, second)) as session:
        store(session, "of the second")
    assert stored(sessions) == {"before", "of the second"}
    assert lost == [1]


def test_fences_of_other_names_and_sessions_without_one_are_not_concerned(sessions):
    mine = Fence("mine")
    mine.take(sessions)
    Fence("other").take(sessions)
    with writing(fenced(sessions, mine)) as session:
        store(session, "mine")
    with writing(sessions) as session:
        store(session, "without")
    assert stored(sessions) == {"mine", "without"}


def test_a_takeover_ends_a_transaction_that_does_not(postgresql_url):
    """A process that is frozen or cut off amid a transaction keeps the row of its token."""
    engine = create_engine(postgresql_url)
    sessions = create_session_factory(engine)
    first, second = Fence("test"), Fence("test")
    first.take(sessions)

    def write_for_ever():
        with writing(fenced(sessions, first)) as session:
            store(session, "of the first")
            session.flush()
            second.take(sessions)

    with pytest.raises(sa.exc.OperationalError):
        write_for_ever()
    with writing(fenced(sessions, second)) as session:
        store(session, "of the second")
    assert stored(sessions) == {"of the second"}
    with pytest.raises(FencedError), writing(fenced(sessions, first)) as session:
        store(session, "after")
    engine.dispose()


def test_a_takeover_waits_for_the_transaction_that_is_under_way(sessions, monkeypatch):
    monkeypatch.setattr(fencing, "OPEN_TRANSACTION_MS", int(PATIENCE_S * 1000))
    first, second = Fence("test"), Fence("test")
    first.take(sessions)
    order = []

    def take_over():
        second.take(sessions)
        order.append("taken over")

    with writing(fenced(sessions, first)) as session:
        store(session, "under way")
        other = in_thread(take_over)
        order.append("written")
    other.join(PATIENCE_S)
    assert order == ["written", "taken over"]
    assert stored(sessions) == {"under way"}


def test_who_could_not_write_at_the_start_takes_over_with_the_first_transaction(sessions, monkeypatch):
    first, second, third = Fence("test"), Fence("test"), Fence("test")
    first.take(sessions)
    with monkeypatch.context() as read_only:
        read_only.setattr(fencing, "begin_writing", refuse)
        second.take(sessions)
        third.take(sessions)
    with writing(fenced(sessions, first)) as session:
        store(session, "of the first")
    with pytest.raises(KeyError), writing(fenced(sessions, second)):
        raise KeyError("what is rolled back has not taken over")
    with writing(fenced(sessions, second)) as session:
        store(session, "of the second")
    for one in (first, third):
        with pytest.raises(FencedError), writing(fenced(sessions, one)) as session:
            store(session, "too late")
    with writing(fenced(sessions, second)) as session:
        store(session, "of the second again")
    assert stored(sessions) == {"of the first", "of the second", "of the second again"}


def test_two_threads_of_the_first_process_ever_write_at_once(sessions, monkeypatch):
    fence = Fence("test")
    with monkeypatch.context() as read_only:
        read_only.setattr(fencing, "begin_writing", refuse)
        fence.take(sessions)

    def write():
        with writing(fenced(sessions, fence)) as session:
            store(session, "quick")

    with writing(fenced(sessions, fence)) as session:
        store(session, "slow")
        other = in_thread(write)
    other.join(PATIENCE_S)
    assert stored(sessions) == {"slow", "quick"}


def in_thread(work):
    """A thread that has been at ``work`` for a moment."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join(0.3)
    return thread


def refuse(session):
    raise sa.exc.OperationalError("", {}, Exception("read-only"))


def test_a_background_writer_drops_what_it_has_and_logs_no_fault(sessions, caplog):
    first = Fence("test")
    first.take(sessions)
    queue = WriteQueue(100)
    writer = BackgroundWriter(
        "test", fenced(sessions, first), queue, lambda session, names: [store(session, name) for name in names]
    )
    writer.start()
    queue.append(["before"])
    until(lambda: stored(sessions) == {"before"})
    Fence("test").take(sessions)
    before = metrics.DATABASE_WRITE_DROPPED.labels("test", "fenced")._value.get()
    queue.append(["after", "and another"])
    until(lambda: not writer.state().ok)
    assert writer.state().detail == "another process has taken over"
    writer.close()
    assert stored(sessions) == {"before"}
    assert metrics.DATABASE_WRITE_DROPPED.labels("test", "fenced")._value.get() == before + 2
    # The process that ends says so.
    assert not [record.getMessage() for record in caplog.records if record.levelno > logging.DEBUG]


def test_what_fails_for_the_end_is_logged_nowhere_else(caplog):
    log = logging.getLogger("test")
    limiter = RepeatLimiter()
    caplog.handler.addFilter(limiter)
    faults = FaultLog(log, "a part fails", "it works again")
    error = FencedError("another process has taken over")
    faults.failed(str(error), error)
    faults.failed(str(error), cause=outage_of(error))
    try:
        raise error
    except FencedError:
        log.exception("a part has failed")
    caplog.handler.removeFilter(limiter)
    assert not caplog.records
    assert faults.count == 2


def test_each_token_is_above_the_one_before_whatever_the_clock_says(monkeypatch):
    tokens = [next_token()]
    for now in (2e9, 1e9, 1e9, 3e9):
        monkeypatch.setattr(fencing.time, "time", lambda now=now: now)
        tokens.append(next_token(tokens[-1]))
    assert tokens == sorted(tokens)
    assert len({term_of(token) for token in tokens}) == len(tokens)
    assert {len(token) for token in tokens} == {32}
    # Releases before stored one without a term.
    assert term_of("1f" * 16) == ""
    assert term_of(next_token("1f" * 16))


def test_whoever_takes_over_has_a_later_term(sessions):
    first, second = Fence("test"), Fence("test")
    second_before = second.token
    first.take(sessions)
    second.take(sessions)
    assert term_of(second.token) > term_of(first.token) >= term_of(second_before)
