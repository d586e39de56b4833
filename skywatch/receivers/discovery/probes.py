"""Asks hosts whether they are receivers: two ports by what they send within a second, tar1090 by its list of aircraft.

Nothing is sent but one ``GET``; no redirect is followed, no more than 64 kB are read from a host, 64 connections are
open at once, and the round is over after 5 s. What does not speak a receiver's protocol
counts as no answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import IPv4Address
from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple

from skywatch.inputs.lines import LineSplitter

# Imported with the first search, as the decoder is.
if TYPE_CHECKING:
    import httpx

Kind = Literal["beast", "sbs", "readsb"]
AT_ONCE = 64
WITHIN_S = 5.0
# Hosts of a local network answer within milliseconds, or not at all.
CONNECT_S = 0.3
LISTEN_S = 1.0
MAX_BYTES = 65_536
TAR1090 = "/tar1090/data/aircraft.json"
MAX_SBS_LINE = 1024
# The beginning of a list that is longer than what is read of it.
_CUT_LIST = re.compile(
    rb'\s*\{(?=[^{}\[\]]*"now"\s*:\s*[0-9.]+)[^{}\[\]]*"aircraft"\s*:\s*\[\s*\{\s*"hex"\s*:\s*"~?[0-9a-f]{6}"'
)


class Door(NamedTuple):
    """A kind of receiver, the port that it is looked for on, and the path of a list."""

    kind: Kind
    port: int
    path: str = TAR1090


THIS_MACHINE = IPv4Address("127.0.0.1")
DOORS = (Door("beast", 30005), Door("readsb", 80), Door("sbs", 30003))
# Where the programs of this machine are looked for: PiAware has its page below /skyaware, or on a port of its own.
OWN_DOORS = (
    *DOORS,
    Door("readsb", 80, "/skyaware/data/aircraft.json"),
    Door("readsb", 8080, "/data/aircraft.json"),
)


class Finding(NamedTuple):
    """A host that spoke the protocol of a kind."""

    kind: Kind
    host: IPv4Address
    port: int
    path: str = TAR1090


@dataclass(frozen=True)
class Round:
    """What came of a round. ``asked`` of ``total`` hosts were asked on every port before the time was over."""

    findings: list[Finding]
    asked: int
    total: int


async def ask(
    hosts: Sequence[IPv4Address],
    doors: Iterable[Door] = DOORS,
    within_s: float = WITHIN_S,
    own_doors: Sequence[Door] = (),
) -> Round:
    """Ask this machine on ``own_doors``, then hosts for receivers; returns after ``within_s`` (s) at the latest."""
    doors = tuple(doors)
    pairs = [*product(own_doors, [THIS_MACHINE]), *product(doors, hosts)]
    queue = iter([(host, door) for door, host in pairs])
    expected = Counter(host for _, host in pairs)
    findings: list[Finding] = []
    answered: Counter[IPv4Address] = Counter()

    async with _client() as client:

        async def work() -> None:
            for host, door in queue:
                if await _speaks(client, str(host), door):
                    findings.append(Finding(door.kind, host, door.port, door.path))
                answered[host] += 1

        workers = [asyncio.create_task(work()) for _ in range(min(AT_ONCE, len(pairs)))]
        if workers:
            _, late = await asyncio.wait(workers, timeout=within_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
    asked = sum(count == expected[host] for host, count in answered.items())
    findings.sort(key=lambda finding: (finding.host != THIS_MACHINE, finding.host, finding.port))
    return Round(findings, asked, len(expected))


async def _speaks(client: httpx.AsyncClient, host: str, door: Door) -> bool:
    import httpx

    try:
        if door.kind == "readsb":
            return await _has_list(client, host, door)
        received = await _listen(host, door.port)
    except (OSError, TimeoutError, httpx.HTTPError, httpx.InvalidURL):
        return False
    return is_beast(received) if door.kind == "beast" else is_sbs(received)


async def _listen(host: str, port: int) -> bytes:
    """What a port sends within a second of the connection, at most 64 kB."""
    async with asyncio.timeout(CONNECT_S):
        reader, writer = await asyncio.open_connection(host, port, limit=MAX_BYTES)
    received = bytearray()
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LISTEN_S):
                while len(received) < MAX_BYTES and (piece := await reader.read(MAX_BYTES - len(received))):
                    received += piece
    finally:
        # Whoever goes on sending is cut off, not waited for.
        writer.transport.abort()
    return bytes(received)


async def _has_list(client: httpx.AsyncClient, host: str, door: Door) -> bool:
    body = bytearray()
    async with (
        asyncio.timeout(CONNECT_S + LISTEN_S),
        client.stream("GET", f"http://{host}:{door.port}{door.path}") as response,
    ):
        if response.status_code != HTTPStatus.OK or "Content-Encoding" in response.headers:
            return False
        async for piece in response.aiter_raw(MAX_BYTES):
            body += piece[: MAX_BYTES - len(body)]
            if len(body) >= MAX_BYTES:
                break
    return is_aircraft_list(bytes(body))


def _client() -> httpx.AsyncClient:
    import httpx

    return httpx.AsyncClient(
        headers={"User-Agent": "Skywatch", "Accept": "application/json", "Accept-Encoding": "identity"},
        timeout=httpx.Timeout(LISTEN_S, connect=CONNECT_S, pool=None),
        limits=httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=0),
        follow_redirects=False,
        # No proxy of the environment; nothing here is TLS.
        trust_env=False,
        verify=False,  # noqa: S501
    )


def is_beast(received: bytes) -> bool:
    """Whether bytes are Mode S frames as Beast, with at least one whose checksum holds."""
    # Here and below: who looks for no receivers loads no decoder.
    from skywatch.receivers.framing.beast import BeastFramer
    from skywatch.receivers.mode_s.decoder import Decoder

    decoder = Decoder()
    decoder.decode(BeastFramer().feed(received))
    return int(decoder.statistics.good.sum()) > 0


def is_sbs(received: bytes) -> bool:
    """Whether bytes are BaseStation lines, each of them good and at least one about an aircraft."""
    from skywatch.receivers.formats.sbs import SbsLine

    invalid: Counter[str] = Counter()
    line = SbsLine(invalid)
    reports = [
        line.read(text.strip())[0] for text in LineSplitter(MAX_SBS_LINE, invalid).feed(received) if text.strip()
    ]
    return not invalid and any(report is not None for report in reports)


def is_aircraft_list(body: bytes) -> bool:
    """Whether a body is the list of aircraft of readsb or dump1090, or the first 64 kB of a longer one."""
    from skywatch.receivers.reports.aircraft_json import DocumentError, read_document

    if len(body) >= MAX_BYTES:
        return _CUT_LIST.match(body) is not None
    try:
        return read_document(body, Counter()).now is not None
    except DocumentError:
        return False
