"""Reads an archive of the world by ranges (RFC 9110, section 14), and notices when it becomes another one."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from skywatch.core.network.http_client import Answer, AnswerTooLarge, CallFailed, OutgoingClient
from skywatch.core.network.targets import AddressRefused, TargetPolicy
from skywatch.sentences import sentence
from skywatch.web.region.errors import NotThere, RegionFailed, SourceChanged

# The most that is read at once (bytes), and how long that may take (s).
MOST_BYTES = 4_000_000
WITHIN_S = 90.0
# Builds of the last days are looked for where the address has a date.
DATE, DAYS = "{date}", 10
_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)")


def make_client(networks: Callable[[], tuple[str, ...]]) -> OutgoingClient:
    """A client that reaches the public internet, and the networks that channels may reach."""
    return OutgoingClient(timeout_s=WITHIN_S, maximum_bytes=MOST_BYTES, policy=TargetPolicy(networks))


def addresses_of(address: str, today: date) -> list[str]:
    """The addresses that an address stands for: with ``{date}``, those of the last days, the newest first."""
    if DATE not in address:
        return [address]
    return [address.replace(DATE, f"{today - timedelta(days=days):%Y%m%d}") for days in range(DAYS)]


def open_source(client: OutgoingClient, address: str, today: date) -> Source:
    """The newest archive at an address; raises RegionFailed."""
    *others, last = addresses_of(address, today)
    for candidate in others:
        source = Source(client, candidate)
        try:
            source.read(0, 1)
        except NotThere:
            continue
        return source
    source = Source(client, last)
    source.read(0, 1)
    return source


class Source:
    """One archive: ``version`` is what distinguishes it from the next one at its address, known from the first read."""

    def __init__(self, client: OutgoingClient, address: str, version: str = "") -> None:
        self._client = client
        self.address = address
        self.version = version

    def read(self, offset: int, length: int) -> bytes:
        """So many bytes from a place on; raises RegionFailed, or SourceChanged where the archive is another one."""
        headers = {"Range": f"bytes={offset}-{offset + length - 1}", "User-Agent": "Skywatch"}
        try:
            answer = self._client.call("GET", self.address, headers)
        except AnswerTooLarge:
            raise _without_ranges() from None
        except AddressRefused as error:
            raise RegionFailed(str(error)) from None
        except CallFailed as error:
            raise RegionFailed(
                sentence("region.unreachable", "The source of the map cannot be read: {reason}", reason=str(error)),
                is_passing=True,
            ) from None
        return self._checked(answer, offset, length)

    def _checked(self, answer: Answer, offset: int, length: int) -> bytes:
        if answer.status == 200:
            raise _without_ranges()
        if answer.status != 206:
            kind = NotThere if answer.status in (403, 404, 410) else RegionFailed
            raise kind(
                sentence("region.status", "The source of the map answers {status}.", status=answer.status),
                is_passing=answer.status == 429 or answer.status >= 500,
            )
        found = _RANGE.fullmatch(answer.headers.get("content-range", ""))
        if found is None or int(found[1]) != offset or len(answer.body) != length:
            raise RegionFailed(
                sentence("region.other_part", "The source of the map answers another part than the one asked for.")
            )
        validator = answer.headers.get("etag") or answer.headers.get("last-modified", "")
        version = f"{validator} {found[3]}"
        if not self.version:
            self.version = version
        elif self.version != version:
            raise SourceChanged(
                sentence("region.changed", "The source has another map now than the one whose size was said.")
            )
        return answer.body


def _without_ranges() -> RegionFailed:
    return RegionFailed(
        sentence("region.no_ranges", "The source of the map does not answer by ranges: all of it would be fetched.")
    )
