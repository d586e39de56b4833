"""The NATS bus passes the shared suite, against a real server, and survives the loss of it."""

import re
import socket
import threading
import time

import pytest

from skywatch.core.bus import BusAwayError, BusError, Message
from skywatch.core.bus.message_codec import pack
from skywatch.core.bus.nats.bus import NatsBus
from skywatch.core.bus.nats.parts import cut
from skywatch.core.bus.nats.values import escape, unescape
from skywatch.settings.bus_address import parse_bus_address
from tests.nats_server import OwnNats, cluster
from tests.unit.core.bus.suite import BusSuite, Inbox
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.deep("starts servers or programs of its own")


class TestNatsBus(BusSuite):
    @pytest.fixture
    def open_bus(self, nats_url):
        opened = []

        def open_one():
            opened.append(NatsBus(parse_bus_address(nats_url)))
            return opened[-1]

        yield open_one
        for bus in opened:
            bus.close()


@pytest.fixture
def own_nats(tmp_path):
    server = OwnNats(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def quick(monkeypatch):
    """Silence is noticed at once."""
    for name, value in (("queued.HEARTBEAT_S", 0.1), ("queued.LATE_S", 1.0)):
        monkeypatch.setattr(f"skywatch.core.bus.{name}", value)


def reaches(bus, inbox):
    """Whether a message arrives."""
    bus.publish(Message("safety", "safety:event", b"after"))
    return any(message.data == b"after" for message in inbox.messages)


def bus_at(port):
    return NatsBus(parse_bus_address(f"nats://127.0.0.1:{port}"))


def test_a_server_that_was_killed_is_survived_and_subscribers_learn_of_the_gap(own_nats):
    bus, inbox, mended = bus_at(own_nats.port), Inbox(), threading.Event()
    bus.subscribe(["safety"], inbox, on_reconnect=mended.set)
    bus.publish(Message("safety", "safety:event", b"before"))
    inbox.wait(1)
    own_nats.stop()
    assert until(lambda: not bus.healthy())
    bus.publish(Message("safety", "safety:event", b"lost"))
    assert until(lambda: bus.dropped == 1)
    with pytest.raises(BusError, match="NATS cannot be reached"):
        bus.get("anything")
    own_nats.start()
    assert mended.wait(PATIENCE_S)
    assert until(bus.healthy)
    bus.publish(Message("safety", "safety:event", b"after"))
    assert until(lambda: inbox.messages[-1].data == b"after")
    # What was given up may have stood in the client's buffer until the server returned.
    assert [m.data for m in inbox.messages if m.data != b"lost"] == [b"before", b"after"]
    assert until(lambda: bus.state().ok)
    bus.close()


def test_a_server_that_hangs_is_noticed_and_costs_messages_not_time(own_nats, quick):
    bus, inbox, mended = bus_at(own_nats.port), Inbox(), threading.Event()
    bus.subscribe(["safety"], inbox, on_reconnect=mended.set)
    own_nats.freeze()
    began = time.monotonic()
    for number in range(5000):
        bus.publish(Message("safety", "safety:event", b"%d" % number))
    assert time.monotonic() - began < PATIENCE_S
    assert until(lambda: not bus.healthy())
    assert until(lambda: bus.dropped > 0)
    own_nats.thaw()
    assert until(bus.healthy)
    # A busy machine may seem silent again, and what was published before is lost then.
    until(lambda: reaches(bus, inbox), "a message", every_s=0.1)
    bus.close()


def test_the_servers_are_tried_in_the_order_of_the_list(own_nats):
    """A process stays with the server of its own host where that stands first."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.setblocking(False)
        for _ in range(8):
            bus_at(f"{own_nats.port},127.0.0.1:{other.getsockname()[1]}").close()
        with pytest.raises(BlockingIOError):
            other.accept()


def test_a_server_without_jetstream_is_one_clear_line(tmp_path):
    server = OwnNats(tmp_path, jetstream=False)
    server.start()
    with pytest.raises(BusError, match=r"^setting bus: JetStream does not answer; is it switched on"):
        bus_at(server.port)
    server.stop()


def test_no_server_is_one_clear_line(monkeypatch):
    monkeypatch.setattr("skywatch.core.bus.nats.client.CONNECT_S", 0.5)
    with pytest.raises(BusError, match=r"^setting bus: NATS cannot be reached"):
        bus_at(1)


def test_a_wrong_password_is_one_clear_line_without_it(tmp_path, monkeypatch):
    monkeypatch.setattr("skywatch.core.bus.nats.client.CONNECT_S", 5.0)
    server = OwnNats(tmp_path, user="ada", password="right")
    server.start()
    with pytest.raises(BusError) as refusal:
        NatsBus(parse_bus_address(f"nats://ada:guessed@127.0.0.1:{server.port}"))
    assert str(refusal.value) == "setting bus: NATS refuses the user name, password or token"
    monkeypatch.setattr("skywatch.core.bus.nats.client.CONNECT_S", PATIENCE_S)
    NatsBus(parse_bus_address(f"nats://ada:right@127.0.0.1:{server.port}")).close()
    server.stop()


def test_a_lost_server_of_three_loses_neither_messages_nor_values(tmp_path):
    with cluster(tmp_path) as servers:
        hosts = ",".join(f"127.0.0.1:{server.port}" for server in servers)
        buses = [until(lambda: opened(hosts)) for _ in range(3)]
        inbox = Inbox()
        for bus in buses:
            bus.subscribe(["safety"], inbox)
        assert until(lambda: put(buses[0], b"1"))
        servers[0].stop()
        assert until(lambda: all(bus.healthy() for bus in buses))
        assert until(lambda: put(buses[1], b"2"))
        assert until(lambda: value_of(buses[2]) == b"2")
        # Reading many asks for nothing that JetStream would give to the server that is gone.
        for _ in range(20):
            assert until(lambda: items_of(buses[1])) == {"location": b"2"}
        received = len(inbox.messages)
        assert until(lambda: buses[0].send(Message("safety", "safety:event", b"after")))
        inbox.wait(received + 3)
        for bus in buses:
            bus.close()


def opened(hosts):
    """The bus; None while the servers elect who leads."""
    try:
        return NatsBus(parse_bus_address(f"nats://{hosts}"))
    except BusAwayError:
        return None


def put(bus, value):
    """Whether the value was stored; the servers may be electing."""
    try:
        bus.put("location", value, 600)
    except BusError:
        return False
    return True


def test_a_message_of_an_unknown_version_is_dropped_and_shown(nats_url):
    bus, other, inbox = (*(NatsBus(parse_bus_address(nats_url)) for _ in range(2)), Inbox())
    bus.subscribe(["safety"], inbox)
    packed = b"\x07" + pack(Message("safety", "safety:event", b"new"))[1:]
    other._client.ask(other._client.publish(other._subject("topic", "safety"), packed))
    assert other.send(Message("safety", "safety:event", b"old"))
    assert [message.data for message in inbox.wait(1)] == [b"old"]
    assert bus.state().detail == "messages of version 7 cannot be read; this release reads 0"
    bus.close()
    other.close()


def test_parts_of_an_unknown_version_are_dropped_and_shown(nats_url):
    bus, other, inbox = (*(NatsBus(parse_bus_address(nats_url)) for _ in range(2)), Inbox())
    bus.subscribe(["safety"], inbox)
    (part,) = cut(pack(Message("safety", "safety:event", b"new")), 1000)
    other._client.ask(other._client.connection.publish(other._subject("topic", "safety"), b"\x07" + part[1:]))
    assert other.send(Message("safety", "safety:event", b"old"))
    assert [message.data for message in inbox.wait(1)] == [b"old"]
    assert bus.state().detail == "parts of version 7 cannot be read; this release reads 1"
    bus.close()
    other.close()


def items_of(bus):
    """What is stored; None while the bus looks for another server."""
    try:
        return bus.items("loc")
    except BusError:
        return None


def value_of(bus):
    """What is stored; None while the bus looks for another server."""
    try:
        return bus.get("location")
    except BusError:
        return None


@pytest.mark.parametrize("key", ["location:1", "a/b.c d", "ä=3D", "*>"])
def test_any_key_can_be_escaped(key):
    assert re.fullmatch(r"[-=_A-Za-z0-9]+", escape(key))
    assert unescape(escape(key)) == key
