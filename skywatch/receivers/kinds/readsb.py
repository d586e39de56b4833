"""``readsb ADDRESS``: aircraft.json of readsb, dump1090-fa or dump1090-mutability, over HTTP or as a file.

``format=`` says whether the same picture is read as binCraft, which costs less for thousands of aircraft: ``json`` (the
default), ``auto`` where the server says that it has it, ``bincraft`` without asking. Where it cannot be read, JSON is.
"""

from __future__ import annotations

import asyncio
import logging
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
from skywatch.receivers.reports.bincraft import head_of, is_bincraft, unpacked
from skywatch.receivers.site import Site, read_site
from skywatch.sentences import sentence

logger = logging.getLogger(__name__)

DEFAULT_EVERY_S = 1.0
EVERY_S = (0.2, 60.0)
# Retries, and the pause between them (s), for a file that is being written.
PARTIAL_READS, PARTIAL_PAUSE_S = 10, 0.05


# Where a page has its document, the pages that a host may have, and where a folder has it.
DOCUMENT = "data/aircraft.json"
PAGES = ("tar1090", "skyaware", "dump1090-fa", "dump1090")
IN_FOLDER = ("aircraft.json", DOCUMENT)
# The same picture as binCraft, next to aircraft.json; the packed one first.
BINARY = ("aircraft.binCraft.zst", "aircraft.binCraft")
ANY_TYPE = {"Accept": "*/*"}
JSON, AUTO, BINCRAFT = FORMATS = ("json", "auto", "bincraft")


class _ReceiverJson(msgspec.Struct):
    refresh: float = DEFAULT_EVERY_S * 1000  # ms
    binCraft: bool = False  # noqa: N815


class _ReadsbReceiver(PollingReceiver):
    """What the two have in common: which form of the picture they read."""

    kind = "readsb"

    def __init__(self, name: str, address: str, every_s: float | None, site: Site, form: str) -> None:
        super().__init__(name, address, site)
        self._every_s = every_s
        self._format = form
        self._has_fallen_back = False

    @property
    def _needs_description(self) -> bool:
        """Whether receiver.json decides anything."""
        return self._every_s is None or self._format == AUTO

    def _wants_binary(self, described: _ReceiverJson) -> bool:
        return self._format == BINCRAFT or (self._format == AUTO and described.binCraft)

    def _fall_back(self, reason: str) -> None:
        """Say once that JSON is read in place of binCraft."""
        if not self._has_fallen_back:
            self._has_fallen_back = True
            logger.warning("receiver %s reads aircraft.json: %s", self.name, reason)


class HttpReadsbReceiver(_ReadsbReceiver):
    """aircraft.json from a web server."""

    def __init__(self, name: str, url: str, every_s: float | None, site: Site, trust: Trust, form: str = JSON) -> None:
        super().__init__(name, shown_url(url), every_s, site, form)
        # Where the document may be; the one that was found alone.
        self._candidates = candidates(url)
        self._url = self._candidates[0]
        self._trust = trust

    async def session(self) -> None:
        """Find the document, read its interval, then poll it."""
        if len(self._candidates) > 1:
            self._url = await self._find()
            self._candidates = [self._url]
        described = await self._describe() if self._needs_description else _ReceiverJson()
        binary = await self._find_binary() if self._wants_binary(described) else None
        self._status.address = shown_url(binary or self._url)
        async with HttpSource(binary or self._url, ANY_TYPE if binary else None, self._trust) as source:
            await self.poll(source.fetch, self._every_s or interval_s(described))

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

    async def _find_binary(self) -> str | None:
        """The address of binCraft that can be read; None where there is none."""
        reason = "there is no aircraft.binCraft"
        for name in BINARY:
            url = urljoin(self._url, name)
            async with HttpSource(url, ANY_TYPE, self._trust) as source:
                try:
                    fetched = await source.fetch()
                except HttpRefusal as refusal:
                    if refusal.pause_s:
                        raise
                    continue
            try:
                check_binary(fetched.body if fetched is not None else b"")
                return url
            except DocumentError as error:
                reason = f"{name} {error}"
        self._fall_back(reason)
        return None

    async def _describe(self) -> _ReceiverJson:
        async with HttpSource(urljoin(self._url, "receiver.json"), trust=self._trust) as source:
            try:
                fetched = await source.fetch()
            except InputError:
                return _ReceiverJson()  # not every server has one
        return described_by(fetched.body) if fetched else _ReceiverJson()


class FileReadsbReceiver(_ReadsbReceiver):
    """aircraft.json in a local folder; read only after it was written."""

    def __init__(self, name: str, path: Path, every_s: float | None, site: Site, form: str = JSON) -> None:
        super().__init__(name, str(path), every_s, site, form)
        self._path = path
        # What is read: the path, or binCraft next to it.
        self._document = path
        self._seen: tuple[int, int, int] | None = None

    async def session(self) -> None:
        """Poll the file at the interval at which it is written."""
        self._seen = None
        await asyncio.to_thread(self._find)
        described = await asyncio.to_thread(self._describe) if self._needs_description else _ReceiverJson()
        binary = await asyncio.to_thread(self._find_binary) if self._wants_binary(described) else None
        self._document = binary or self._path
        self._status.address = str(self._document)
        await self.poll(self._fetch, self._every_s or interval_s(described))

    def _describe(self) -> _ReceiverJson:
        try:
            return described_by(_read(self._path.with_name("receiver.json")))
        except OSError:
            return _ReceiverJson()

    def _find_binary(self) -> Path | None:
        """The file with binCraft that can be read; None where there is none."""
        reason = "there is no aircraft.binCraft"
        for path in (self._path.with_name(name) for name in BINARY):
            try:
                check_binary(_read(path))
                return path
            except DocumentError as error:
                reason = f"{path.name} {error}"
            except OSError:
                continue
        self._fall_back(reason)
        return None

    def _find(self) -> None:
        """Set the path to the document where it is that of a folder; raises InputError where there is none in it."""
        if not self._path.is_dir():
            return
        for path in (self._path / name for name in IN_FOLDER):
            if path.is_file():
                self._path = path
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
            status = os.stat(self._document)
            mark = (status.st_mtime_ns, status.st_size, status.st_ino)
            if mark == self._seen:
                return None
            body = _read(self._document)
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
    form = options.text("format") or JSON
    if form not in FORMATS:
        names = ", ".join(FORMATS)
        raise ValueError(
            sentence("receiver.unknown_format", "format {name} is not known; there are {names}", name=form, names=names)
        )
    site = read_site(options, station, math.inf)
    trust = parse_trust(options, address)
    options.finish()
    if "://" not in address:
        return FileReadsbReceiver(name, Path(address), every_s, site, form)
    return HttpReadsbReceiver(name, parse_url(address), every_s, site, trust, form)


def candidates(url: str) -> list[str]:
    """Where the aircraft.json of an address may be: of a page of tar1090, SkyAware or dump1090, or of a host alone."""
    parts = urlsplit(url)
    if parts.path.endswith((".json", *BINARY)) or parts.query:
        return [url]
    folder = urlunsplit(parts._replace(path=parts.path.rstrip("/") + "/", fragment=""))
    if parts.path not in ("", "/"):
        # Without a slash it may be the document itself.
        itself = [] if parts.path.endswith("/") else [url]
        return [urljoin(folder, DOCUMENT), *itself, urljoin(folder, "aircraft.json")]
    return [*(urljoin(folder, f"{page}/{DOCUMENT}") for page in PAGES), urljoin(folder, DOCUMENT)]


def described_by(body: bytes) -> _ReceiverJson:
    """What a receiver.json says; the defaults where it is none."""
    try:
        return msgspec.json.decode(body, type=_ReceiverJson)
    except BAD_JSON:
        return _ReceiverJson()


def interval_s(described: _ReceiverJson) -> float:
    """The interval (s) at which aircraft.json is written."""
    return min(max(described.refresh / 1000, EVERY_S[0]), EVERY_S[1])


def check_binary(body: bytes) -> None:
    """Raises DocumentError where a document is no binCraft that can be read here."""
    plain = unpacked(body)
    if not is_bincraft(plain):
        raise DocumentError("is no binCraft")
    head_of(plain)


def _is_complete(body: bytes) -> bool:
    """Whether the file looks complete: a cheap test before decoding it; binCraft is exchanged as a whole."""
    if body.lstrip()[:1] not in (b"{", b""):
        return True
    return body.rstrip().endswith(b"}") and body.count(b"{") == body.count(b"}")


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        body = file.read(MAX_BODY + 1)
    if len(body) > MAX_BODY:
        raise InputError(
            sentence("receiver.file_too_large", "the file is larger than {most} MiB", most=MAX_BODY // (1024 * 1024))
        )
    return body
