"""The tail is read as its rows say at the moment, of all aircraft or of one, whatever was read and decoded before."""

import threading
from datetime import UTC, datetime

import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.history.models import Tail
from skywatch.history.storage import tail as reading
from skywatch.history.storage.codec import encode
from skywatch.history.storage.points import identity, in_order
from skywatch.history.storage.tail import read_tail, tail_points
from tests.unit.history.storage.test_codec import some_points

AT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def sessions(database_url):
    engine = create_engine(database_url)
    yield create_session_factory(engine)
    engine.dispose()


def add(sessions, *pairs, replace=False, at=AT):
    with writing(sessions) as session:
        if replace:
            session.execute(sa.delete(Tail))
        session.execute(sa.insert(Tail), [{"written_at": at, "points": p, "ends": e} for p, e in pairs])


def pair(seed, count=200):
    return encode(some_points(count, seed)), encode(some_points(30, 100 + seed))


def assert_read(sessions):
    with sessions() as session:
        rows = session.execute(sa.select(Tail.points, Tail.ends).order_by(Tail.id)).all()
        whole = tail_points([tuple(row) for row in rows])
        assert np.array_equal(read_tail(session), whole)
        for aircraft in np.unique(identity(whole)).tolist():
            expected = in_order(whole[identity(whole) == aircraft])
            assert len(expected)
            assert np.array_equal(read_tail(session, aircraft), expected)
        assert len(read_tail(session, 0x000001)) == 0


def test_what_is_added_merged_and_replaced_is_read(sessions):
    with sessions() as session:
        assert len(read_tail(session)) == 0
    add(sessions, *[pair(seed) for seed in range(4)])
    assert_read(sessions)
    add(sessions, pair(4))
    assert_read(sessions)
    # SQLite gives the numbers of deleted rows again.
    add(sessions, pair(5), pair(6, 100), replace=True, at=AT.replace(microsecond=1))
    assert_read(sessions)
    with writing(sessions) as session:
        session.execute(sa.delete(Tail))
    with sessions() as session:
        assert len(read_tail(session)) == 0


def test_a_known_row_is_neither_fetched_nor_decoded_again(sessions, monkeypatch):
    decoded, real = [], reading._Grouped._decode
    monkeypatch.setattr(reading._Grouped, "_decode", lambda row, data: decoded.append(data) or real(row, data))
    add(sessions, *[pair(seed) for seed in range(3)])
    assert_read(sessions)
    assert len(decoded) == 4
    add(sessions, pair(7))
    assert_read(sessions)
    assert len(decoded) == 6


def test_a_damaged_row_is_named_once_and_the_others_are_read(sessions, caplog):
    good, damaged = pair(1), pair(2)
    add(sessions, (damaged[0][:-9], damaged[1]), good)
    with sessions() as session:
        for _ in range(3):
            read_tail(session)
    assert len(caplog.records) == 1
    assert_read(sessions)


def test_readers_at_once_see_whole_tails_while_a_writer_replaces_them(sessions):
    pairs = [pair(seed) for seed in range(6)]
    lengths = {len(tail_points([p, q])) for p in pairs for q in pairs}
    add(sessions, *pairs[:2])
    stop, seen, errors = threading.Event(), set(), []

    def read():
        try:
            while not stop.is_set():
                with sessions() as session:
                    seen.add(len(read_tail(session)))
        except Exception as error:
            errors.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(40):
        add(sessions, pairs[number % 6], pairs[(number + 1) % 6], replace=True, at=AT.replace(microsecond=number))
    stop.set()
    for reader in readers:
        reader.join()
    assert not errors
    assert seen <= lengths
