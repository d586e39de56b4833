"""``readsb ADDRESS``: aircraft.json of readsb, dump1090-fa or dump1090-mutability, over HTTP or as a file."""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urljoin, urlsplit, urlunsplit

import msgspec

from skywatch.core.network.certificates import Trust
from skywatch.inputs.options import Options, Station, Words
from skywatch.inputs.retrying_input import InputError
from skywatch.inputs.transports.http_source import (
    MAX_BODY,
    Fetched,
    HttpRefusal,
    HttpSource,
    parse_trust,
    parse_url,
    shown_url,
)
from skywatch.receivers.context import ReceiverContext
from skywatch.receivers.kinds.polling_receiver import PollingReceiver
from skywatch.receivers.reports.aircraft_json import BAD_JSON, DocumentError, read_document
from skywatch.receivers.site import Site, read_site
from skywatch.sentences import sentence

DEFAULT_EVERY_S = 1.0
EVERY_S = (0.2, 60.0)
# Retries, and the pause between them (s), for a file that is being written.
PARTIAL_READS, PARTIAL_PAUSE_S = 10, 0.05


# Where a page has its document, the pages that a host may have, and where a folder has it.
DOCUMENT = "data/aircraft.json"
PAGES = ("tar1090", "skyaware", "dump1090-fa", "dump1090")
IN_FOLDER = ("aircraft.json", DOCUMENT)


class _ReceiverJson(msgspec.Struct):
    refresh: float = DEFAULT_EVERY_S * 1000  # ms


class HttpReadsbReceiver(PollingReceiver):
    """aircraft.json from a web server."""

    kind = "readsb"

    def __init__(self, name: str, url: str, every_s: float | None, site: Site, trust: Trust) -> None:
        super().__init__(name, shown_url(url), site)
        # Where the document may be; the one that was found alone.
        self._candidates = candidates(url)
        self._url = self._candidates[0]
        self._trust = trust
        self._every_s = every_s

    async def session(self) -> None:
        """Find the document, read its interval, then poll it."""
        if len(self._candidates) > 1:
            self._url = await self._find()
            self._candidates = [self._url]
            self._status.address = shown_url(self._url)
        every_s = self._every_s or await self._refresh()
        async with HttpSource(self._url, trust=self._trust) as source:
            await self.poll(source.fetch, every_s)

    async def _find(self) -> str:
        """The first address that answers with a document; raises InputError that says where it was looked for."""
        reason = ""
        for url in self._candidates:
            async with HttpSource(url, trust=self._trust) as source:
                try:
                    fetched = await source.fetch()
                    if fetched is not None:
                        read_document(fetched.body, Counter())
                        return url
                except HttpRefusal as refusal:
                    if refusal.pause_s:
                        raise
                    reason = reason or str(refusal)
                except DocumentError as error:
                    reason = reason or sentence("receiver.it", "it {error}", error=error)
        paths = ", ".join(urlsplit(url).path for url in self._candidates)
        raise InputError(
            sentence(
                "receiver.no_aircraft_json",
                "there is no aircraft.json ({reason}); looked for {paths}: name its whole address",
                reason=reason,
                paths=paths,
            )
        )

    async def _refresh(self) -> float:
        async with HttpSource(urljoin(self._url, "receiver.json"), trust=self._trust) as source:
            try:
                fetched = await source.fetch()
            except InputError:
                return DEFAULT_EVERY_S  # not every server has one
        return refresh_s(fetched.body) if fetched else DEFAULT_EVERY_S


class FileReadsbReceiver(PollingReceiver):
    """aircraft.json in a local folder; read only after it was written."""

    kind = "readsb"

    def __init__(self, name: str, path: Path, every_s: float | None, site: Site) -> None:
        super().__init__(name, str(path), site)
        self._path = path
        self._every_s = every_s
        self._seen: tuple[int, int, int] | None = None

    async def session(self) -> None:
        """Poll the file at the interval at which it is written."""
        self._seen = None
        every_s = self._every_s
        await asyncio.to_thread(self._find)
        if every_s is None:
            try:
                every_s = refresh_s(await asyncio.to_thread(_read, self._path.with_name("receiver.json")))
            except OSError:
                every_s = DEFAULT_EVERY_S
        await self.poll(self._fetch, every_s)

    def _find(self) -> None:
        """Set the path to the document where it is that of a folder; raises InputError where there is none in it."""
        if not self._path.is_dir():
            return
        for path in (self._path / name for name in IN_FOLDER):
            if path.is_file():
                self._path = path
                self._status.address = str(path)
                return
        raise InputError(
            sentence(
                "receiver.folder_without", "is a folder without {names}: name the file", names=" or ".join(IN_FOLDER)
            )
        )

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


def create(name: str, words: Words, station: Station, context: ReceiverContext) -> PollingReceiver:
    """Create the receiver; raises ValueError if the address or an option is wrong."""
    if not words:
        raise ValueError(
            sentence("receiver.expected_aircraft_json", "expected the address or the path of an aircraft.json")
        )
    address, *arguments = words
    options = Options(arguments)
    every_s = options.optional_number("every", *EVERY_S)
    site = read_site(options, station, math.inf)
    trust = parse_trust(options, address)
    options.finish()
    if "://" not in address:
        return FileReadsbReceiver(name, Path(address), every_s, site)
    return HttpReadsbReceiver(name, parse_url(address), every_s, site, trust)


def candidates(url: str) -> list[str]:
    """Where the aircraft.json of an address may be: of a page of tar1090, SkyAware or dump1090, or of a host alone."""
    parts = urlsplit(url)
    if parts.path.endswith(".json") or parts.query:
        return [url]
    folder = urlunsplit(parts._replace(path=parts.path.rstrip("/") + "/", fragment=""))
    if parts.path not in ("", "/"):
        # Without a slash it may be the document itself.
        itself = [] if parts.path.endswith("/") else [url]
        return [urljoin(folder, DOCUMENT), *itself, urljoin(folder, "aircraft.json")]
    return [*(urljoin(folder, f"{page}/{DOCUMENT}") for page in PAGES), urljoin(folder, DOCUMENT)]


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
        body = file.read(MAX_BODY + 1)
    if len(body) > MAX_BODY:
        raise InputError(
            sentence("receiver.file_too_large", "the file is larger than {most} MiB", most=MAX_BODY // (1024 * 1024))
        )
    return body
