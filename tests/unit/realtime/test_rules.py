"""The small rules of the channel: credentials, limits, frames, streams and what an outbox does."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import zlib
from functools import partial
from typing import Any

import pytest

from skywatch.airframes.military import MilitaryAircraft
from skywatch.core.bus import Audience, Form, Message
from skywatch.core.problems import Problem
from skywatch.features import FEATURES
from skywatch.realtime.subscribers.authentication import credential_of_auth
from skywatch.realtime.topics.event_topics import EventTopics
from skywatch.realtime.topics.live_topics import LiveTopics
from skywatch.realtime.topics.picture_state import LiveView
from skywatch.realtime.topics.topic_table import TopicTable
from skywatch.realtime.wire import native, socketio
from skywatch.realtime.wire.frames import Event, Point, message_frame, text_frame
from skywatch.realtime.wire.outbox import PIECE_BYTES, Outbox, Turn
from skywatch.security.contexts import default_access
from skywatch.security.identity import Identity
from skywatch.security.permissions import default_permissions
from skywatch.security.visibility import Visibility, visibility_of
from tests.realtime import Skies
from tests.unit.realtime.listeners import ModelClient, payload_of


@pytest.mark.parametrize("protocol", [native, socketio])
def test_an_event_goes_with_the_last_who_holds_it(protocol):
    """Events that referred to themselves stayed, a megabyte each, until the garbage collector came."""
    data = b'{"aircraft":[%b]}' % (b"1," * 2000 + b"1")
    gc.collect()
    gc.disable()
    try:
        held = sys.getrefcount(data)
        event = Event("aircraft", "aircraft:update", "e", 3, data)
        event.frame((protocol.encode_event, True))
        assert event.packed
        assert sys.getrefcount(data) > held
        del event
        assert sys.getrefcount(data) == held
    finally:
        gc.enable()


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65535, 65536, 100_000])
def test_frames_hold_their_payload(size):
    payload = b"x" * size
    assert payload_of(text_frame(payload)) == payload
    packed = message_frame(payload, deflate=True)
    if packed[0] & 0x40:
        assert zlib.decompressobj(-15).decompress(payload_of(packed) + b"\0\0\xff\xff") == payload
        assert len(packed) < size
    else:
        assert size < 1024


@pytest.mark.parametrize("data", [b"{}", b'{"id":1}', b"[1]", b"3"])
def test_events_are_json_in_both_protocols(data):
    event = Event("safety", "safety:event", "e", 3, data)
    said: dict[str, Any] = json.loads(native.encode_event(event))
    assert said == {
        "type": "event", "topic": "safety", "event": "safety:event", "epoch": "e", "seq": 3, "data": json.loads(data),
    }  # fmt: skip
    name, body = json.loads(socketio.encode_event(event)[2:])
    assert (name, body["seq"], body["topic"], body["epoch"]) == ("safety:event", 3, "safety", "e")
    assert body.get("id") == (1 if data == b'{"id":1}' else None)


def test_credentials_are_read_and_never_guessed():
    assert credential_of_auth({"token": "ApiKey sk_1"}) == "sk_1" == credential_of_auth({"token": "sk_1"})
    assert credential_of_auth({}) is None
    for auth in ({"token": 3}, {"token": ""}, {"token": ["a"]}):
        with pytest.raises(Problem):
            credential_of_auth(auth)


MILITARY = frozenset({"aircraft.view_military"})


def sight(role: str, user_id: int) -> Visibility:
    identity = Identity(user_id, "x", "jwt", default_permissions(role))
    return visibility_of(identity, "hybrid", default_access)


def test_numbers_have_no_gaps_whatever_is_published_for_others():
    topics = EventTopics(TopicTable(FEATURES))
    owner, other, boss = ModelClient(), ModelClient(), ModelClient()
    for client, given in ((owner, sight("operator", 1)), (other, sight("operator", 2)), (boss, sight("admin", 3))):
        topics.join(client, topics.stream_of("alerts", given), None)
    for number in range(12):
        audience = Audience(
            frozenset({1 if number % 3 else 2}), "alerts.manage_all", MILITARY if number == 11 else frozenset()
        )
        topics.publish(Message("alerts", "alert:triggered", b'{"id":%d}' % number, audience))
    topics.hand_over()
    heard = {}
    for name, client in (("owner", owner), ("other", other), ("boss", boss)):
        text = b"".join(client.outbox.frames)
        events = []
        while text:
            payload = payload_of(text)[: text[1] if text[1] < 126 else int.from_bytes(text[2:4], "big")]
            text = text[len(payload) + (2 if text[1] < 126 else 4) :]
            events.append(json.loads(payload))
        assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
        heard[name] = [e["data"]["id"] for e in events]
    assert heard["other"] == [0, 3, 6, 9]
    assert heard["owner"] == [1, 2, 4, 5, 7, 8, 10]  # Not the military one.
    assert heard["boss"] == list(range(12))


def test_a_stream_remembers_for_those_who_come_back_and_forgets_in_the_end():
    topics, client = EventTopics(TopicTable(FEATURES)), ModelClient()
    given = sight("viewer", 1)
    stream = topics.stream_of("safety", given)
    for number in range(600):
        topics.publish(Message("safety", "safety:event", b'{"id":%d}' % number))
    assert stream.since(stream.epoch, 600) == []
    assert [e.seq for e in stream.since(stream.epoch, 598) or []] == [599, 600]
    assert len(stream.since(stream.epoch, 100) or []) == 500
    assert stream.since(stream.epoch, 99) is None
    assert stream.since(stream.epoch, 601) is None
    assert stream.since("another", 600) is None
    topics.join(client, stream, Point(stream.epoch, 5))
    snapshot = json.loads(payload_of(client.outbox.frames[0]))
    assert (snapshot["event"], snapshot["seq"], snapshot["data"]["count"]) == ("safety:snapshot", 600, 100)
    topics.sweep(0.0)
    topics.sweep(10_000.0)
    assert topics.stream_of("safety", given) is stream
    topics.leave(client, stream)
    topics.sweep(20_000.0)
    topics.sweep(30_000.0)
    assert topics.stream_of("safety", given) is not stream


def test_each_subscriber_hears_the_fullest_form_it_may_see():
    topics = EventTopics(TopicTable(FEATURES))
    clients = {role: ModelClient() for role in ("viewer", "analyst")}
    for role, client in clients.items():
        topics.join(client, topics.stream_of("system", sight(role, 1)), None)
    form = Form(MILITARY, b'{"aircraft":2}')
    topics.publish(Message("system", "system:status", b'{"aircraft":1}', forms=(form,)))
    topics.hand_over()
    heard = {role: json.loads(payload_of(client.outbox.frames[0])) for role, client in clients.items()}
    assert {role: (event["seq"], event["data"]["aircraft"]) for role, event in heard.items()} == {
        "viewer": (1, 1), "analyst": (1, 2),
    }  # fmt: skip
    snapshots = {role: json.loads(topics.logs["system"].data(sight(role, 1), 0.0)) for role in clients}
    assert {role: s["events"][0]["data"]["aircraft"] for role, s in snapshots.items()} == {"viewer": 1, "analyst": 2}


def about(number, *aircraft):
    return Message("safety", "safety:event", b'{"id":%d}' % number, Audience(aircraft=frozenset(aircraft)))


def returning(topics, visibility, since):
    """What a subscriber who stopped there is sent."""
    client = ModelClient()
    topics.join(client, topics.stream_of("safety", visibility), since)
    return [json.loads(payload_of(frame)) for frame in client.outbox.frames]


def test_events_about_who_turns_military_are_sent_again_to_nobody_who_may_not_see_it():
    topics, viewer, analyst = EventTopics(TopicTable(FEATURES)), sight("viewer", 1), sight("analyst", 2)
    points = {one: Point(topics.stream_of("safety", one).epoch, 1) for one in (viewer, analyst)}
    for number, aircraft in enumerate(("4B1620", "4B1621", "A12345")):
        topics.publish(about(number, "4B1622", aircraft))
    assert [event["data"]["id"] for event in returning(topics, viewer, points[viewer])] == [1, 2]
    topics.take_military(MilitaryAircraft({"A12345": True}))
    (snapshot,) = returning(topics, viewer, points[viewer])
    assert (snapshot["event"], snapshot["seq"]) == ("safety:snapshot", 3)
    assert [event["data"]["id"] for event in snapshot["data"]["events"]] == [0, 1]
    assert [event["data"]["id"] for event in returning(topics, analyst, points[analyst])] == [1, 2]
    topics.publish(about(3, "A12345"))
    topics.publish(about(4, "4B1620"))
    events = returning(topics, viewer, Point(snapshot["epoch"], 3))
    assert [(event["seq"], event["data"]["id"]) for event in events] == [(4, 4)]
    # A word of an administrator: the next snapshot has them again.
    topics.take_military(MilitaryAircraft({"A12345": False}))
    (snapshot,) = returning(topics, viewer, points[viewer])
    assert [event["data"]["id"] for event in snapshot["data"]["events"]] == [0, 1, 2, 3, 4]


def test_a_form_about_who_turns_military_is_left_for_the_next():
    topics, viewer = TopicTable(FEATURES), sight("viewer", 1)
    link = Form(frozenset(), b'{"aircraft":"A12345"}', frozenset({"A12345"}))
    message = Message("system", "system:status", b"{}", forms=(link,))
    assert topics.data_for(viewer, message) == link.data
    topics.military = MilitaryAircraft({"A12345": True})
    assert topics.data_for(viewer, message) == b"{}"
    assert topics.data_for(sight("analyst", 1), message) == link.data


def test_topics_of_aircraft_tell_those_apart_who_may_see_military_ones():
    deciding = TopicTable(FEATURES).deciding
    assert {name for name, permissions in deciding.items() if permissions >= MILITARY} == {
        "acars", "aircraft", "alerts", "audio", "safety", "system",
    }  # fmt: skip


def test_what_needs_a_permission_that_no_topic_declares_reaches_nobody():
    topics, client = EventTopics(TopicTable(FEATURES)), ModelClient()
    topics.join(client, topics.stream_of("safety", sight("superadmin", 1)), None)
    for message in (
        Message("safety", "safety:event", b"{}", Audience(needs=frozenset({"users.view"}))),
        Message("safety", "safety:event", b"{}", forms=(Form(frozenset({"no.such"}), b"1"),)),
    ):
        with pytest.raises(ValueError, match="permissions"):
            topics.publish(message)
    topics.hand_over()
    assert not client.outbox.frames


def test_an_event_of_one_user_does_not_travel_on_a_topic_of_everybody():
    with pytest.raises(ValueError, match="single users"):
        EventTopics(TopicTable(FEATURES)).publish(Message("safety", "safety:event", b"{}", Audience(frozenset({1}))))


class FakeTransport:
    """Takes so many bytes and then asks for a pause, as asyncio's does."""

    def __init__(self, room: int) -> None:
        self.room, self.written, self.held = room, bytearray(), 0
        self.outbox: Outbox

    def write(self, data: Any) -> None:
        taken = bytes(data)
        self.written += taken
        self.held += len(taken)
        if self.held > self.room:
            self.outbox.pause()

    def get_write_buffer_size(self) -> int:
        return self.held

    def is_closing(self) -> bool:
        return False

    def drain(self) -> None:
        self.held = 0
        self.outbox.resume()


def make_outbox(loop: asyncio.AbstractEventLoop, room: int, frames: int = 5, size: int = 1 << 20) -> Any:
    overflows: list[int] = []
    transport = FakeTransport(room)
    outbox = Outbox(transport, Turn(loop), frames, size, lambda: overflows.append(1))
    transport.outbox = outbox
    return outbox, transport, overflows


def test_an_outbox_writes_everything_in_order_and_in_pieces():
    async def scenario():
        outbox, transport, overflows = make_outbox(asyncio.get_running_loop(), room=PIECE_BYTES // 2, frames=50)
        sent = [bytes([number]) * size for number, size in enumerate([10, 200_000, 3, PIECE_BYTES, 7])]
        for frame in sent:
            outbox.push(frame)
        await asyncio.sleep(0)
        assert outbox.congested
        while outbox.congested:
            assert transport.held <= PIECE_BYTES * 2
            transport.drain()
        assert bytes(transport.written) == b"".join(sent)
        assert not overflows

    asyncio.run(scenario())


class GoneTransport(FakeTransport):
    """Of a connection that was lost a moment ago: asyncio's raises because its socket is None."""

    def write(self, data: Any) -> None:
        raise AttributeError("'NoneType' object has no attribute 'send'")


class ClosingTransport(FakeTransport):
    def is_closing(self) -> bool:
        return True


def test_a_turn_survives_any_connection_and_the_next_one_too():
    async def scenario():
        loop = asyncio.get_running_loop()

        def broken_gathering() -> None:
            raise RuntimeError("a fault of the program")

        turn, failed = Turn(loop, broken_gathering), []
        transports = [FakeTransport(100), GoneTransport(100), ClosingTransport(100), FakeTransport(100)]
        outboxes = [Outbox(t, turn, 5, 1 << 20, list, partial(failed.append, t)) for t in transports]
        for text in (b"first", b"second"):
            for outbox in outboxes:
                outbox.push(text)
            await asyncio.sleep(0)
        assert [bytes(transport.written) for transport in transports] == [b"firstsecond", b"", b"", b"firstsecond"]
        assert failed == [transports[1]]
        # What is pushed to a closed outbox is not held.
        for outbox in outboxes[1:3]:
            for _ in range(100):
                outbox.push(b"x" * 1000)
            assert outbox.waiting_bytes == 0
            assert not outbox._parts

    asyncio.run(scenario())


def test_a_view_that_fails_blocks_no_other_and_is_sent_when_it_works():
    async def scenario():
        loop = asyncio.get_running_loop()
        live = LiveTopics(lambda: loop.call_soon(lambda: live.hand_over()))
        skies, good, bad = Skies(), ModelClient(), ModelClient()
        live.tick([skies.next({"4b1620": {"alt": 0}})])
        views = LiveView("aircraft", "all", False), LiveView("aircraft", "civil", False)
        for client, view in zip((good, bad), views, strict=True):
            live.join(client, view, None)
        await asyncio.sleep(0.01)
        make = live.state.update

        def broken(view: LiveView, since: int) -> Event:
            if view is views[1]:
                raise RuntimeError("a fault of the program")
            return make(view, since)

        live.state.update = broken
        live.tick([skies.next({"4b1620": {"alt": 1}})])
        live.state.update = make
        live.tick([skies.next({"4b1620": {"alt": 2}})])
        await asyncio.sleep(0.01)
        live.tick([skies.next({"4b1620": {"alt": 3}})])
        for client in (good, bad):
            client.read()
            assert client.aircraft["4b1620"]["alt"] == 3
        assert (good.updates, good.snapshots, bad.updates, bad.snapshots) == (3, 1, 1, 2)

    asyncio.run(scenario())


def test_an_outbox_overflows_by_number_and_by_size():
    async def scenario():
        for frame, count, frames, size in ((b"x", 6, 5, 1 << 20), (b"x" * 1000, 4, 100, 2500)):
            outbox, _, overflows = make_outbox(asyncio.get_running_loop(), 0, frames, size)
            outbox.push(b"first")
            await asyncio.sleep(0)
            assert outbox.congested
            for _ in range(count - 1):
                outbox.push(frame)
                await asyncio.sleep(0)
            assert not overflows
            outbox.push(frame)
            await asyncio.sleep(0)
            assert overflows

    asyncio.run(scenario())


def test_a_closed_outbox_ends_the_frame_that_has_begun_and_sends_no_other():
    async def scenario():
        outbox, transport, _ = make_outbox(asyncio.get_running_loop(), room=0)
        outbox.push(b"a" * (PIECE_BYTES + 100))
        outbox.push(b"b" * 50)
        await asyncio.sleep(0)
        assert outbox.close()
        assert bytes(transport.written) == b"a" * (PIECE_BYTES + 100)
        large, transport, _ = make_outbox(asyncio.get_running_loop(), room=0)
        large.push(b"a" * 10_000_000)
        await asyncio.sleep(0)
        assert not large.close()

    asyncio.run(scenario())
