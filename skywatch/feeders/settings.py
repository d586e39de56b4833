"""The settings of feeders."""

from __future__ import annotations

import dataclasses

from skywatch.inputs.options import parse_address
from skywatch.settings import Settings, setting


def parse_feeders_address(text: str) -> tuple[str, int | None]:
    """The host and, where one is given, the port of ``feeders_address``: ``sky.org``, ``sky.org:3000``, ``[::1]:3000``.

    IPv6 addresses without a port stand alone or in brackets. Raises ValueError where the port is none.
    """
    if text.count(":") > 1 and not text.startswith("["):
        return text, None
    if text.startswith("[") and text.endswith("]"):
        return text[1:-1], None
    if ":" not in text:
        return text, None
    host, port = parse_address(text)
    return host, port


def _address(text: str) -> str:
    parse_feeders_address(text)
    return text


@dataclasses.dataclass(frozen=True, kw_only=True)
class FeederSettings(Settings):
    """The settings of feeders."""

    feeders_address: str = setting(
        "",
        "the host name or address that feeders connect to, as the ready-made lines name it (without it the host of"
        " `base_url`); with a port, `sky.example.org:30004`, where a proxy stands before the listeners",
        parse=_address,
    )
