"""What is noted of connections between two writes."""

from skywatch.reception.connections.follower import MAX_WAITING, ConnectionLog
from skywatch.reception.connections.storage import Connection


def test_beginnings_and_ends_are_noted_once():
    log = ConnectionLog()
    log.note({"roof": 100.0}, 100.5)
    assert log.waiting() == [Connection("roof", 100.0, 100.5, is_open=True)]
    log.written(log.waiting())
    log.note({"roof": 100.0}, 101.5)
    assert log.waiting() == []
    log.note({}, 102.5)
    assert log.waiting() == [Connection("roof", 100.0, 102.5, is_open=False)]


def test_a_new_connection_ends_the_one_before():
    log = ConnectionLog()
    log.note({"roof": 100.0}, 100.5)
    log.note({"roof": 200.0}, 200.5)
    assert log.waiting() == [
        Connection("roof", 100.0, 200.5, is_open=False),
        Connection("roof", 200.0, 200.5, is_open=True),
    ]


def test_changes_that_wait_for_the_database_are_bounded():
    log = ConnectionLog()
    for turn in range(MAX_WAITING):
        log.note({"roof": float(turn), "attic": float(turn)}, turn + 0.5)
    assert len(log.waiting()) == MAX_WAITING
    assert log.waiting()[-1].since == MAX_WAITING - 1
