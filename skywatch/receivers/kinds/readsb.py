"""``readsb ADDRESS``: aircraft.json of readsb, dump1090-fa or dump1090-mutability, over HTTP or as a file."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import msgspec

from skywatch.inputs.options import Options, Station, Words
from skywatch.inputs.retrying import InputError
from skywatch.inputs.transports.http_source import LARGEST_BODY, Fetched, HttpSource, parse_url, shown_url
from skywatch.receivers.kinds.polling import PollingReceiver
from skywatch.receivers.reports.aircraft_json import BAD_JSON

DEFAULT_EVERY_S = 1.0
EVERY_S = (0.2, 60.0)
# Retries, and the pause between them (s), for a file that is being written.
PARTIAL_READS, PARTIAL_PAUSE_S = 5, 0.05


class _ReceiverJson(msgspec.Struct):
    refresh: float = DEFAULT_EVERY_S * 1000  # ms


class HttpReadsbReceiver(PollingReceiver):
    """aircraft.json from a web server."""

    kind = "readsb"

    def __init__(self, name: str, url: str, every_s: float | None) -> None:
        super().__init__(name, shown_url(url))
        self._url = url
        self._every_s = every_s

    async def session(self) -> None:
        """Read the document's interval, then poll it."""
        every_s = self._every_s or await self._refresh()
        async with HttpSource(self._url) as source:
            await self.poll(source.fetch, every_s)

    async def _refresh(self) -> float:
        async with HttpSource(urljoin(self._url, "receiver.json")) as source:
            try:
                fetched = await source.fetch()
            except InputError:
                return DEFAULT_EVERY_S  # not every server has one
        return refresh_s(fetched.body) if fetched else DEFAULT_EVERY_S


class FileReadsbReceiver(PollingReceiver):
    """aircraft.json in a local folder; read only after it was written."""

    kind = "readsb"

    def __init__(self, name: str, path: Path, every_s: float | None) -> None:
        super().__init__(name, str(path))
        self._path = path
        self._every_s = every_s
        self._seen: tuple[int, int, int] | None = None

    async def session(self) -> None:
        """Poll the file at the interval at which it is written."""
        self._seen = None
        every_s = self._every_s
        if every_s is None:
            try:
                every_s = refresh_s(await asyncio.to_thread(_read, self._path.with_name("receiver.json")))
            except OSError:
                every_s = DEFAULT_EVERY_S
        await self.poll(self._fetch, every_s)

    async def _fetch(self) -> Fetched | None:
        # A file on a network may hang: never on the loop.
        return await asyncio.to_thread(self._read_new)

    def _read_new(self) -> Fetched | None:
        for _ in range(PARTIAL_READS):
            status = os.stat(self._path)
            mark = (status.st_mtime_ns, status.st_size, status.st_ino)
            if mark == self._seen:
                return None
            body = _read(self._path)
            if _is_complete(body):
                break
            time.sleep(PARTIAL_PAUSE_S)
        self._seen = mark
        return Fetched(body, max(time.time() - status.st_mtime, 0.0))


def create(name: str, words: Words, station: Station) -> PollingReceiver:
    """Create the receiver; raises ValueError if the address or an option is wrong."""
    if not words:
        raise ValueError("expected the address or the path of an aircraft.json")
    address, *arguments = words
    options = Options(arguments)
    every_s = options.optional_number("every", *EVERY_S)
    options.finish()
    if "://" not in address:
        return FileReadsbReceiver(name, Path(address), every_s)
    url = parse_url(address)
    if urlsplit(url).path.endswith("/"):
        # The folder of a tar1090.
        url = urljoin(url, "data/aircraft.json")
    return HttpReadsbReceiver(name, url, every_s)


def refresh_s(body: bytes) -> float:
    """The interval (s) at which aircraft.json is written, by its receiver.json."""
    try:
        refresh = msgspec.json.decode(body, type=_ReceiverJson).refresh
    except BAD_JSON:
        return DEFAULT_EVERY_S
    return min(max(refresh / 1000, EVERY_S[0]), EVERY_S[1])


def _is_complete(body: bytes) -> bool:
    """Whether the file looks complete: a cheap test before decoding it."""
    return body.rstrip().endswith(b"}") and body.count(b"{") == body.count(b"}")


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        body = file.read(LARGEST_BODY + 1)
    if len(body) > LARGEST_BODY:
        raise InputError(f"the file is larger than {LARGEST_BODY // (1024 * 1024)} MiB")
    return body
