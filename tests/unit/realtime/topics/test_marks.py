"""Aircraft that are marked for a user: flag 8 in that user's rows alone, and first in a thinned sky."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest

from skywatch.realtime.topics.columns import ALERT, DEFAULT_FIELDS, Form, thin
from skywatch.realtime.topics.live_topics import LiveTopics
from skywatch.realtime.topics.picture_state import LiveView
from skywatch.realtime.wire.answers import Pong
from skywatch.realtime.wire.frames import Event
from skywatch.realtime.wire.messages import BadMessage, Command
from skywatch.realtime.wire.native import NativeProtocol, PackedProtocol, encode_event
from tests.realtime import Skies
from tests.unit.realtime.listeners import FakeOutbox, payload_of

FLAGS = DEFAULT_FIELDS.index("flags")
ANN, BOB = 1, 2
SKY = {f"{i:06x}": {"lat": 47 + i / 100, "lon": 8.0, "military": i == 3} for i in range(40)}


class Watcher:
    """A client of columns of one user, in either form of the native protocol."""

    def __init__(self, user, form=None, protocol=NativeProtocol):
        self.view = LiveView("aircraft", "all", False, None, form or Form(DEFAULT_FIELDS), user)
        self.outbox = FakeOutbox()
        self.variant = (protocol.encode_event, False)
        self.rows, self.fulls = {}, 0

    def read(self):
        packed = self.variant[0] is PackedProtocol.encode_event
        for frame in self.outbox.frames:
            assert frame[0] & 0xF == (2 if packed else 1), "MessagePack travels in binary frames, JSON in text frames"
            decode = msgspec.msgpack.decode if packed else json.loads
            data = decode(payload_of(frame))["data"]
            self.fulls += data["full"]
            self.rows = {} if data["full"] else self.rows
            for address in data["removed"]:
                del self.rows[address]
            self.rows |= {row[0]: row for row in data["rows"]}
        self.outbox.frames.clear()
        return {address for address, row in self.rows.items() if row[FLAGS] & ALERT}


@pytest.mark.parametrize("protocol", [NativeProtocol, PackedProtocol])
def test_marks_come_and_go_with_the_tick_and_are_nobody_elses(protocol):
    topics, skies = LiveTopics(), Skies()
    ann, bob, nobody = Watcher(ANN, protocol=protocol), Watcher(BOB, protocol=protocol), Watcher(None)
    topics.tick([skies.next(SKY)])
    for one in (ann, bob, nobody):
        topics.join(one, one.view, None)
    assert topics.view_count == 1, "without marks all share one view"
    for marks in (
        {ANN: frozenset({"000005"})},
        {ANN: frozenset({"000005", "000009"}), BOB: frozenset({"000001"})},
        {BOB: frozenset({"000001", "ffffff"})},
        {},
        {},
    ):
        topics.take_marks(marks)
        topics.tick([skies.next(SKY)])
        assert ann.read() == marks.get(ANN, frozenset()) & SKY.keys()
        assert bob.read() == marks.get(BOB, frozenset()) & SKY.keys()
        assert nobody.read() == set()
    assert [one.fulls for one in (ann, bob, nobody)] == [1, 1, 1], "nobody had to start over"
    assert topics.view_count == 1
    for one in (ann, bob, nobody):
        topics.leave(one, one.view)
    assert topics.view_count == 0


def test_who_joins_is_congested_or_leaves_while_marks_change_sees_them_all_the_same():
    topics, skies, ann = LiveTopics(), Skies(), Watcher(ANN)
    topics.take_marks({ANN: frozenset({"000002"})})
    topics.tick([skies.next(SKY)])
    topics.join(ann, ann.view, None)
    topics.tick([skies.next(SKY)])
    assert ann.read() == {"000002"}
    ann.outbox.congested = True
    topics.tick([skies.next(SKY)])
    for marks in ({}, {}, {ANN: frozenset({"000007"})}):
        topics.take_marks(marks)
        topics.tick([skies.next(SKY)])
    ann.outbox.congested = False
    topics.catch_up(ann, ann.view)
    assert ann.read() == {"000007"}
    topics.take_marks({})
    topics.tick([skies.next(SKY)])
    topics.leave(ann, ann.view)
    assert topics.view_count == 0


def test_a_thinned_sky_keeps_what_is_marked():
    topics, skies, ann = LiveTopics(), Skies(), Watcher(ANN, Form(DEFAULT_FIELDS, 4))
    marked = frozenset({"000011", "000012", "000013", "000014"})
    topics.tick([skies.next(SKY)])
    topics.join(ann, ann.view, None)
    ann.read()
    topics.take_marks({ANN: marked})
    topics.tick([skies.next(SKY)])
    assert ann.read() == marked
    assert set(ann.rows) == marked
    sky = skies.next(SKY)
    rows = np.arange(len(sky))
    assert sky.index["000011"] in thin(sky, rows, 1, frozenset(), np.array([sky.index["000011"]]))


def test_the_packed_form_says_the_same_as_json():
    event = Event("acars", "acars:message", "e1", 7, b'{"text":"a","numbers":[1,2.5,null,true]}')
    said = json.loads(encode_event(event))
    assert msgspec.msgpack.decode(PackedProtocol.encode_event(event)) == said
    protocol = PackedProtocol()
    asked = protocol.read(msgspec.msgpack.encode({"type": "subscribe", "topics": ["aircraft"], "id": 1}))
    assert asked == Command("subscribe", {"topics": ["aircraft"], "id": 1})
    assert msgspec.msgpack.decode(protocol.encode(Pong(timestamp="now"))[0]) == {"type": "pong", "timestamp": "now"}
    for wrong in (b"", b"\xc1", b"\x91\x01", b"\x81\xa4type\x01", b"\x91" * 100_000, b"\xdf\xff\xff\xff\xff"):
        with pytest.raises(BadMessage):
            protocol.read(wrong)


@pytest.mark.parametrize("length", [0, 1, 15, 16, 300, 70_000])
def test_lists_of_every_length_are_packed(length):
    from skywatch.realtime.topics.columns import array_head

    assert msgspec.msgpack.decode(array_head(length) + b"\x01" * length) == [1] * length
