"""When an outbox says that something was written: after the last byte was handed over, and never for what it drops."""

import asyncio

import pytest

from skywatch.realtime.transports.polling_outbox import PollingOutbox
from skywatch.realtime.wire.outbox import PIECE_BYTES, Outbox, Turn


class Transport:
    """Takes what it is given; pauses its outbox after ``room`` bytes."""

    def __init__(self, room=1 << 30):
        self.room, self.written, self.outbox = room, 0, None

    def write(self, data):
        self.written += len(data)
        if self.written >= self.room:
            self.outbox.pause()

    def is_closing(self):
        return False

    def get_write_buffer_size(self):
        return 0


@pytest.fixture
def loop():
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


@pytest.fixture
def make(loop):
    def make(room=1 << 30):
        transport = Transport(room)
        transport.outbox = Outbox(transport, Turn(loop), 100, 1 << 30, lambda: None)
        return transport.outbox, transport

    return make


def test_a_small_frame_is_written_at_the_end_of_the_turn(make):
    outbox, transport = make()
    heard = []
    outbox.push(b"x")
    outbox.on_written(lambda: heard.append(transport.written))
    assert heard == []
    outbox.flush()
    assert heard == [1]
    outbox.push(b"yy")
    outbox.flush()
    assert heard == [1]


def test_a_frame_behind_a_backlog_counts_when_its_last_piece_is_taken(make):
    outbox, transport = make(room=PIECE_BYTES)
    heard = []
    outbox.push(bytes(3 * PIECE_BYTES))
    outbox.flush()
    outbox.push(b"x")
    outbox.on_written(lambda: heard.append(transport.written))
    outbox.flush()
    assert heard == []
    transport.room = 2 * PIECE_BYTES
    outbox.resume()
    assert heard == []
    transport.room = 1 << 30
    outbox.resume()
    assert heard == [3 * PIECE_BYTES + 1]


def test_what_is_dropped_is_never_reported(make):
    heard = []
    for end in ("discard", "close"):
        outbox, transport = make(room=PIECE_BYTES)
        outbox.push(bytes(2 * PIECE_BYTES))
        outbox.on_written(lambda: heard.append("first"))
        outbox.flush()
        outbox.push(b"x")
        outbox.on_written(lambda: heard.append("second"))
        getattr(outbox, end)()
        transport.room = 1 << 30
        outbox.resume()
        outbox.push(b"y")
        outbox.on_written(lambda: heard.append("third"))
        outbox.flush()
    assert heard == []


class Poll:
    def __init__(self):
        self.parts = None

    def answer_poll(self, parts):
        self.parts = parts


def test_a_client_that_polls_has_it_with_the_answer(loop):
    outbox = PollingOutbox(Turn(loop), 100, 1 << 20, lambda: None)
    heard = []
    outbox.push(b"x\x1e")
    outbox.on_written(lambda: heard.append(1))
    outbox.flush()
    assert heard == []
    poll = Poll()
    outbox.wait(poll)
    outbox.flush()
    assert poll.parts is not None
    assert heard == [1]
    outbox.push(b"y\x1e")
    outbox.on_written(lambda: heard.append(2))
    outbox.discard()
    outbox.wait(Poll())
    assert heard == [1]


def test_an_upgrade_takes_what_waits_with_its_callbacks(loop):
    outbox = PollingOutbox(Turn(loop), 100, 1 << 20, lambda: None)
    outbox.push(b"x\x1e")
    outbox.on_written(list)
    assert outbox.take_receipts() == [list]
    assert outbox.take() == [b"x\x1e"]
    assert outbox.take_receipts() == []
