"""``adsbx-v2 URL``: the v2 interface of ADSBexchange and similar services, and readsb's own API, polled slowly.

A key is sent in a header and never shown in the status: ``header=api-auth:env:ADSBX_KEY`` takes it from the
environment, ``header=api-auth:file:/run/secrets/adsbx`` from a file.
"""

from __future__ import annotations

import re
from pathlib import Path

from skywatch.core.network.certificates import Trust
from skywatch.inputs.options import Options, Station, Words
from skywatch.inputs.transports.http_source import HttpSource, parse_trust, parse_url, shown_url
from skywatch.receivers.context import ReceiverContext
from skywatch.receivers.kinds.polling_receiver import PollingReceiver
from skywatch.sentences import sentence
from skywatch.settings import environment_secret

DEFAULT_EVERY_S = 5.0
EVERY_S = (1.0, 3600.0)
MAX_SECRET = 4096
_HEADER_NAME = re.compile(r"[A-Za-z0-9-]{1,64}", re.ASCII)


class AdsbxV2Receiver(PollingReceiver):
    """A v2 interface; Retry-After of a 429 or 503 is followed."""

    kind = "adsbx-v2"

    def __init__(self, name: str, url: str, every_s: float, headers: dict[str, str], trust: Trust) -> None:
        super().__init__(name, shown_url(url))
        # Retries are no more frequent than polls.
        self.first_pause_s = every_s
        self.stale_s = max(self.stale_s, 3 * every_s)
        self._url = url
        self._every_s = every_s
        self._headers = headers
        self._trust = trust

    async def session(self) -> None:
        """Poll until cancelled."""
        async with HttpSource(self._url, self._headers, self._trust) as source:
            await self.poll(source.fetch, self._every_s)


def create(name: str, words: Words, station: Station, context: ReceiverContext) -> AdsbxV2Receiver:
    """Create the receiver; raises ValueError if the address or an option is wrong, or the key is missing."""
    if not words:
        raise ValueError(sentence("receiver.v2_address", "expected the address of a v2 interface"))
    address, *arguments = words
    options = Options(arguments)
    every_s = options.number("every", DEFAULT_EVERY_S, *EVERY_S)
    header = options.text("header")
    url = parse_url(address)
    trust = parse_trust(options, url)
    options.finish()
    return AdsbxV2Receiver(name, url, every_s, parse_header(header) if header is not None else {}, trust)


def parse_header(text: str) -> dict[str, str]:
    """``NAME:VALUE``, ``NAME:env:VARIABLE`` or ``NAME:file:PATH`` as a header; errors do not contain the value."""
    name, colon, value = text.partition(":")
    if not colon or not _HEADER_NAME.fullmatch(name):
        raise ValueError(sentence("receiver.header", "header must be NAME:VALUE, NAME:env:VARIABLE or NAME:file:PATH"))
    source, _, where = value.partition(":")
    if source == "env":
        value = environment_secret(where) or ""
        if not value:
            raise ValueError(
                sentence(
                    "receiver.header_variable",
                    "the environment variable {variable} of header {name} is not set",
                    variable=where,
                    name=name,
                )
            )
    elif source == "file":
        value = _secret_of(Path(where))
    value = value.strip()
    if not value or not value.isascii() or not value.isprintable():
        raise ValueError(
            sentence("receiver.header_value", "the value of header {name} is not a printable text", name=name)
        )
    return {name: value}


def _secret_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MAX_SECRET).decode("ascii")
    except (OSError, UnicodeDecodeError):
        raise ValueError(
            sentence("receiver.header_file", "the header's file {path} cannot be read", path=path)
        ) from None
