"""Every bus is cut, flushed, hung and full: what is live goes on where it can, nobody waits, and all is well again."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import nats
import nats.errors
import nats.js.errors
import pytest
import redis

from skywatch.core.bus import Bus, BusAwayError, BusError, Message, open_bus
from tests.nats_server import OwnNats, cluster
from tests.redis_server import OwnRedis
from tests.relay import Relay
from tests.sentinel import Watched, watched
from tests.unit.core.bus.suite import Inbox
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.deep("starts servers or programs of its own")

# The least that JetStream needs for its own files, and a little.
STORE = "4MB"
PREFIX = "skytests"


class RedisServers:
    """One Redis behind a relay, or two behind Sentinel, which names their own addresses."""

    is_alone = True
    full = "Redis is out of memory and refuses writes (maxmemory)"

    def __init__(self, server: OwnRedis, watching: Watched | None = None) -> None:
        self._server, self._watching = server, watching
        self.relay = Relay(("127.0.0.1", server.port))
        self.address = watching.address if watching else f"redis://127.0.0.1:{self.relay.port}/0"
        self._hung = server
        self.is_alone = watching is None

    @property
    def _master(self) -> OwnRedis:
        return self._watching.master() if self._watching else self._server

    def _do(self, *command: str) -> None:
        with redis.Redis(port=self._master.port) as client:
            client.execute_command(*command)

    def cut(self) -> None:
        """Connections end; to one that Sentinel names new ones come about at once."""
        if self._watching is None:
            self.relay.cut()
            return
        self._do("CLIENT", "KILL", "TYPE", "pubsub")
        self._do("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")

    def mend(self) -> None:
        if self._watching is None:
            self.relay.mend()

    def hang(self) -> None:
        self._hung = self._master
        assert self._hung.process is not None
        self._hung.process.send_signal(signal.SIGSTOP)

    def wake(self) -> None:
        assert self._hung.process is not None
        self._hung.process.send_signal(signal.SIGCONT)

    def flush(self) -> None:
        self._do("FLUSHALL")

    def fill(self) -> None:
        self._do("CONFIG", "SET", "maxmemory", "1")

    def empty(self) -> None:
        self._do("CONFIG", "SET", "maxmemory", "0")

    def close(self) -> None:
        self.relay.close()


async def _is_stored(jetstream: Any, data: bytes) -> bool:
    try:
        await jetstream.publish("fill", data)
    except nats.js.errors.APIError:
        return False
    except nats.errors.Error:
        # The servers elect meanwhile, or are busy.
        return True
    return True


async def _is_removed(jetstream: Any) -> bool:
    try:
        await jetstream.delete_stream("FILL")
    except nats.js.errors.NotFoundError:
        return True
    except nats.errors.Error:
        return False
    return True


async def _is_made(jetstream: Any, replicas: int) -> bool:
    try:
        await jetstream.add_stream(name="FILL", subjects=["fill"], num_replicas=replicas)
    except nats.js.errors.BadRequestError:
        # An answer that came too late.
        return True
    except nats.errors.Error:
        return False
    return True


class NatsServers:
    """One NATS server, or three, of which the first is behind a relay."""

    full = "JetStream is full and refuses writes (max_file_store)"

    def __init__(self, servers: list[OwnNats]) -> None:
        self._servers = servers
        self.is_alone = len(servers) == 1
        self.relay = Relay(("127.0.0.1", servers[0].port))
        # Of three the client learns the others' addresses from the first.
        self.address = f"nats://127.0.0.1:{self.relay.port}"

    def _ask(self, work: Callable[[Any], Coroutine[Any, Any, None]]) -> None:
        async def ask() -> None:
            servers = [f"nats://127.0.0.1:{server.port}" for server in self._servers]
            client = await nats.connect(servers, connect_timeout=PATIENCE_S)
            try:
                await work(client.jetstream())
            finally:
                await client.close()

        asyncio.run(ask())

    def cut(self) -> None:
        self.relay.cut()

    def mend(self) -> None:
        self.relay.mend()

    def hang(self) -> None:
        self._servers[0].freeze()

    def wake(self) -> None:
        self._servers[0].thaw()

    def flush(self) -> None:
        async def flush(jetstream: Any) -> None:
            with suppress(nats.js.errors.NotFoundError):
                await jetstream.delete_key_value(PREFIX)

        self._ask(flush)

    def fill(self) -> None:
        async def fill(jetstream: Any) -> None:
            # The servers elect meanwhile.
            while not await _is_made(jetstream, len(self._servers)):
                await asyncio.sleep(0.1)
            while await _is_stored(jetstream, bytes(100_000)):
                continue

        self._ask(fill)

    def empty(self) -> None:
        async def empty(jetstream: Any) -> None:
            while not await _is_removed(jetstream):
                await asyncio.sleep(0.1)

        self._ask(empty)

    def close(self) -> None:
        self.relay.close()


def _servers(kind: str, folder: Path, stack: ExitStack) -> RedisServers | NatsServers:
    if kind == "redis":
        server = OwnRedis(folder)
        stack.callback(server.stop)
        server.start()
        return RedisServers(server)
    if kind == "sentinel":
        watching = stack.enter_context(watched(folder))
        return RedisServers(watching.master(), watching)
    if kind == "three NATS":
        return NatsServers(stack.enter_context(cluster(folder, max_store=STORE)))
    nats_server = OwnNats(folder, max_store=STORE)
    stack.callback(nats_server.stop)
    nats_server.start()
    return NatsServers([nats_server])


@pytest.fixture(scope="module", params=["redis", "sentinel", "NATS", "three NATS"])
def servers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with ExitStack() as stack:
        made = _servers(request.param, tmp_path_factory.mktemp("bus"), stack)
        stack.callback(made.close)
        yield made


@pytest.fixture
def buses(servers: Any) -> Iterator[tuple[Bus, Bus, Inbox]]:
    """Two processes' ends of the bus, and what the second one receives."""

    def opened() -> Bus | None:
        try:
            return open_bus(servers.address, PREFIX)
        except BusAwayError:
            return None

    here, there = until(opened, "the bus"), until(opened, "the bus")
    inbox = Inbox()
    there.subscribe(["safety"], inbox)
    until(lambda: stores(here) and here.state().ok and there.state().ok, "a bus that is well")
    yield here, there, inbox
    here.close()
    there.close()


def stores(bus: Bus, key: str = "anything") -> bool:
    """Whether the bus takes a value."""
    try:
        bus.put(key, b"x", 60)
    except BusError:
        return False
    return True


def refuses(bus: Bus) -> bool:
    """Whether the bus refuses a large value for want of room; a server may as well be late."""
    try:
        bus.put("large", bytes(100_000), 60)
    except BusError as error:
        return "refuses writes" in str(error)
    return False


def value(bus: Bus, key: str) -> bytes | None:
    """What is stored; None also while that cannot be read."""
    try:
        return bus.get(key)
    except BusError:
        return None


def reaches(bus: Bus, inbox: Inbox, text: bytes) -> bool:
    """Whether a message arrives; those before may be lost."""
    bus.publish(Message("safety", "safety:event", text))
    return any(message.data == text for message in inbox.messages)


def is_well_again(here: Bus, there: Bus, inbox: Inbox, text: bytes) -> None:
    until(lambda: reaches(here, inbox, text), "a message", every_s=0.1)
    until(lambda: stores(here, "after"), "a value that is stored", every_s=0.1)
    until(lambda: value(there, "after") == b"x", "the value at the other end", every_s=0.1)
    until(lambda: here.state().ok and there.state().ok, "health")


def test_a_bus_that_is_cut_is_used_again_by_itself(servers, buses):
    here, there, inbox = buses
    servers.cut()
    if servers.address.startswith("redis://") or (servers.is_alone and servers.address.startswith("nats")):
        until(lambda: not here.state().ok and not stores(here), "a fault in health")
    servers.mend()
    is_well_again(here, there, inbox, b"after the cut")


def test_a_bus_that_is_flushed_forgets_what_was_stored_and_nothing_else(servers, buses):
    here, there, inbox = buses
    assert stores(here, "before")
    until(lambda: value(there, "before") == b"x")

    def is_empty() -> bool:
        # Again where a busy machine made the Sentinels choose another master meanwhile.
        try:
            servers.flush()
            return value(there, "before") is None and there.items("before") == {}
        except (BusError, nats.errors.Error, redis.RedisError):
            return False

    until(is_empty, "a bus that is empty", every_s=0.2)
    assert reaches(here, inbox, b"flushed") or until(lambda: reaches(here, inbox, b"flushed"))
    is_well_again(here, there, inbox, b"after the flush")


def test_a_bus_that_hangs_is_noticed_where_no_other_server_is_there_and_nobody_waits(servers, buses):
    here, there, inbox = buses
    servers.hang()
    for number in range(3000):
        here.publish(Message("safety", "safety:event", b"%d" % number))
    if servers.is_alone:
        until(lambda: not here.state().ok, "a fault in health")
    else:
        # The next server is used while this one hangs.
        until(lambda: reaches(here, inbox, b"meanwhile"), "a message by another server", every_s=0.1)
    servers.wake()
    is_well_again(here, there, inbox, b"after the standstill")


def test_a_bus_without_room_is_named_and_what_is_live_goes_on(servers, buses):
    here, there, inbox = buses
    servers.fill()
    try:
        until(lambda: servers.full in here.state().detail, "the full server in health")
        assert not stores(here, "large")
        until(lambda: refuses(here), "a refusal that says why")
        until(lambda: reaches(here, inbox, b"full"), "a message", every_s=0.1)
    finally:
        servers.empty()
    is_well_again(here, there, inbox, b"after room was made")
