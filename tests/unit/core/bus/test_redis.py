"""The Redis bus passes the shared suite, against a real server, and survives the loss of it."""

import secrets
import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from skywatch.core.bus import BusError, Message
from skywatch.core.bus.redis import RedisBus
from tests.ports import free_port
from tests.servers import REDIS_URL, require
from tests.unit.core.bus.suite import BusSuite, Inbox
from tests.waiting import PATIENCE_S


class TestRedisBus(BusSuite):
    @pytest.fixture
    def open_bus(self, redis_url):
        opened = []

        def open_one():
            opened.append(RedisBus(redis_url))
            return opened[-1]

        yield open_one
        for bus in opened:
            bus.close()


class Relay:
    """A TCP relay before the server that can be cut and mended."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.pairs: list[socket.socket] = []
        # It must have the same one again when it is mended.
        self.address = "127.0.0.1", free_port()
        self.listener = socket.create_server(self.address)
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.create_connection(self.target)
            self.pairs += [client, server]
            for a, b in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(a, b), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass

    def cut(self) -> None:
        for end in (self.listener, *self.pairs):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self.pairs.clear()

    def mend(self) -> None:
        self.listener = socket.create_server(self.address)
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()


def test_a_lost_server_is_survived_and_subscribers_hear_of_the_gap():
    require(REDIS_URL, "Redis")
    relay = Relay(("127.0.0.1", urlsplit(REDIS_URL).port or 6379))
    bus = RedisBus(f"redis://127.0.0.1:{relay.address[1]}/0?prefix=skywatch-test-{secrets.token_hex(6)}")
    inbox, mended = Inbox(), threading.Event()
    bus.subscribe(["safety"], inbox, on_reconnect=mended.set)
    bus.publish(Message("safety", "safety:event", b"before"))
    inbox.wait(1)
    relay.cut()
    bus.publish(Message("safety", "safety:event", b"lost"))
    assert bus.dropped == 1
    assert not bus.healthy()
    with pytest.raises(BusError):
        bus.get("anything")
    relay.mend()
    assert mended.wait(PATIENCE_S)
    bus.publish(Message("safety", "safety:event", b"after"))
    assert [m.data for m in inbox.wait(2)] == [b"before", b"after"]
    bus.close()
    relay.cut()


def test_no_server_is_one_clear_line():
    with pytest.raises(BusError, match=r"^setting bus: Redis cannot be reached"):
        RedisBus("redis://127.0.0.1:1/0")
