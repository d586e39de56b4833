"""The one suite that every bus must pass."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable

from skywatch.core.bus import Audience, Bus, Form, Message
from tests.waiting import PATIENCE_S, until


class Inbox:
    """Collects messages and waits for a number of them."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._changed = threading.Condition()

    def __call__(self, message: Message) -> None:
        with self._changed:
            self.messages.append(message)
            self._changed.notify_all()

    def wait(self, count: int) -> list[Message]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.messages) >= count, PATIENCE_S), self.messages
            return list(self.messages)


class BusSuite:
    """Subclasses provide the fixture ``open_bus``: a function that opens one more end of the same bus."""

    def test_a_message_reaches_every_subscriber_of_its_topic_and_no_other(self, open_bus: Callable[[], Bus]):
        here, there = open_bus(), open_bus()
        first, second, other = Inbox(), Inbox(), Inbox()
        here.subscribe(["safety"], first)
        there.subscribe(["safety", "alerts"], second)
        there.subscribe(["acars"], other)
        here.publish(Message("safety", "safety:event", b'{"id":1}'))
        there.publish(Message("alerts", "alert:triggered", b"{}"))
        # Nothing is said of the order of different topics.
        assert sorted(m.event for m in second.wait(2)) == ["alert:triggered", "safety:event"]
        assert first.wait(1)[0].data == b'{"id":1}'
        assert not other.messages

    def test_the_order_of_a_topic_is_kept(self, open_bus: Callable[[], Bus]):
        here, there = open_bus(), open_bus()
        inbox = Inbox()
        there.subscribe(["acars"], inbox)
        for number in range(500):
            here.publish(Message("acars", "acars:message", str(number).encode()))
        assert [int(m.data) for m in inbox.wait(500)] == list(range(500))

    def test_the_audience_travels_with_the_message(self, open_bus: Callable[[], Bus]):
        here, there = open_bus(), open_bus()
        inbox = Inbox()
        there.subscribe(["alerts"], inbox)
        audience = Audience(frozenset({3, 7}), "alerts.manage_all", frozenset({"aircraft.view_military"}))
        here.publish(Message("alerts", "alert:triggered", b"{}", audience))
        assert inbox.wait(1)[0].audience == audience

    def test_every_form_travels_with_the_message(self, open_bus: Callable[[], Bus]):
        here, there = open_bus(), open_bus()
        inbox = Inbox()
        there.subscribe(["acars"], inbox)
        forms = (Form(frozenset({"a", "b"}), b'{"text":"all"}'), Form(frozenset({"a"}), b"\x00\xff"))
        here.publish(Message("acars", "acars:message", b"{}", snapshot=True, forms=forms))
        late = open_bus()
        for message in (inbox.wait(1)[0], until(lambda: late.last("acars"))):
            assert message is not None
            assert (message.data, message.forms) == (b"{}", forms)
            assert message.data_for(frozenset({"a", "b", "c"})) == b'{"text":"all"}'
            assert message.data_for(frozenset({"a"})) == b"\x00\xff"
            assert message.data_for(frozenset({"b"})) == message.data_for(frozenset()) == b"{}"

    def test_the_last_snapshot_is_there_for_whoever_comes_late(self, open_bus: Callable[[], Bus]):
        here = open_bus()
        assert here.last("system") is None
        here.publish(Message("system", "system:status", b"1", snapshot=True))
        here.publish(Message("system", "system:status", b"2", snapshot=True))
        here.publish(Message("system", "system:note", b"3"))
        late = open_bus()

        def newest() -> Message | None:
            last = late.last("system")
            return last if last is not None and last.data != b"1" else None

        # What was published travels on its own.
        last = until(newest)
        assert (last.event, last.data, last.snapshot) == ("system:status", b"2", True)

    def test_any_bytes_arrive_as_they_were(self, open_bus: Callable[[], Bus]):
        here, there = open_bus(), open_bus()
        inbox = Inbox()
        there.subscribe(["picture"], inbox)
        data = bytes(range(256)) * 4096
        here.publish(Message("picture", "tick", data))
        assert inbox.wait(1)[0].data == data

    def test_a_closed_subscription_hears_nothing_more(self, open_bus: Callable[[], Bus]):
        here = open_bus()
        closed, still_open = Inbox(), Inbox()
        subscription = here.subscribe(["safety"], closed)
        here.subscribe(["safety"], still_open)
        subscription.close()
        subscription.close()
        here.publish(Message("safety", "safety:event", b"{}"))
        still_open.wait(1)
        assert not closed.messages

    def test_a_subscriber_that_raises_does_not_hurt_the_others(self, open_bus: Callable[[], Bus]):
        here = open_bus()
        inbox = Inbox()

        def broken(message: Message) -> None:
            raise RuntimeError("broken subscriber")

        here.subscribe(["safety"], broken)
        here.subscribe(["safety"], inbox)
        here.publish(Message("safety", "safety:event", b"1"))
        here.publish(Message("safety", "safety:event", b"2"))
        assert [m.data for m in inbox.wait(2)] == [b"1", b"2"]

    def test_values_are_kept_until_they_expire(self, open_bus: Callable[[], Bus]):
        here, there = open_bus(), open_bus()
        here.put("location:1", b"a", 600)
        here.put("location:2", b"b", 0.05)
        here.put("location*", b"c", 600)
        assert until(lambda: there.get("location:2") is None)
        assert there.get("location:1") == b"a"
        assert there.items("location:") == {"location:1": b"a"}
        assert there.items("location*") == {"location*": b"c"}
        there.delete("location:1")
        assert here.get("location:1") is None

    def test_it_says_that_it_is_well(self, open_bus: Callable[[], Bus]):
        assert until(open_bus().healthy)

    def test_closing_twice_is_allowed(self, open_bus: Callable[[], Bus]):
        bus = open_bus()
        bus.close()
        bus.close()

    def test_the_newest_snapshot_is_the_last_one_whoever_published_it(self, open_bus: Callable[[], Bus]):
        here, there = open_bus(), open_bus()
        for number, bus in enumerate((here, there, here)):
            assert bus.send(Message("system", "system:status", b"%d" % number, snapshot=True))
            assert until(lambda number=number: (last := open_bus_last(here)) and last.data == b"%d" % number)

    def test_a_large_snapshot_is_there_for_whoever_comes_late(self, open_bus: Callable[[], Bus]):
        here = open_bus()
        data = secrets.token_bytes(3_000_000)
        assert here.send(Message("picture", "tick", data, snapshot=True))
        late = open_bus()
        last = until(lambda: late.last("picture"))
        assert last.data == data


def open_bus_last(bus: Bus) -> Message | None:
    """The last snapshot of the topic that the suite publishes on."""
    return bus.last("system")
