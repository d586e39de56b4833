"""A listener on a port of its own, and clients that connect to it."""

import asyncio
import contextlib

from skywatch.receivers.context import ReceiverContext
from skywatch.receivers.factory import open_receiver
from skywatch.receivers.feeder_streams.feeder import KnownFeeder, hash_of
from skywatch.receivers.settings import ReceiverSettings
from tests.unit.receivers.collector import Collector
from tests.waiting import PATIENCE_S

UUID = "0e48a1ba-d7d0-4a1b-a2b1-4b87d7d0a1ba"
DIGITS = UUID.replace("-", "")
HELLO = b"\x1a\xe4" + UUID.upper().encode() + b"\x1aWO"
FRAME = b"\x1a3" + bytes(6) + b"\x80" + bytes.fromhex("8d4840d6202cc371c32ce0576098")
PROXY = b"PROXY TCP4 203.0.113.7 192.0.2.1 40123 30004\r\n"


def known(number=1, digits=DIGITS, shows_signal=True, name="attic"):
    return KnownFeeder(number, hash_of(digits), shows_signal, name)


@contextlib.asynccontextmanager
async def listening(*feeders, options="", admission="registered"):
    context = ReceiverContext(settings=ReceiverSettings(feeders_admission=admission))
    receiver = open_receiver("in", f"listen 127.0.0.1:0 {options}", None, context)
    receiver.feeders.replace(feeders or (known(),))
    sink = Collector()
    task = asyncio.create_task(receiver.run(sink))
    try:
        while receiver.port.number is None:
            await asyncio.sleep(0.01)
        yield receiver, sink
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def connect(receiver, sent):
    reader, writer = await asyncio.open_connection("127.0.0.1", receiver.port.number)
    # One that nothing refers to is closed.
    receiver.test_clients = [*getattr(receiver, "test_clients", ()), writer]
    writer.write(sent)
    return reader, writer


async def until(condition, within_s=PATIENCE_S):
    async with asyncio.timeout(within_s):
        while not condition():
            await asyncio.sleep(0.01)


async def ended(reader, within_s=PATIENCE_S):
    """Whether the other side closes."""
    async with asyncio.timeout(within_s):
        with contextlib.suppress(ConnectionError):
            while await reader.read(1000):
                pass
    return True
