"""The settings of airframes."""

from __future__ import annotations

import dataclasses
from urllib.parse import urlsplit

from skywatch.settings import Settings, setting


def _address(text: str) -> str:
    parts = urlsplit(text)
    if text and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise ValueError("expected an http:// or https:// address")
    return text


@dataclasses.dataclass(frozen=True, kw_only=True)
class AirframeSettings(Settings):
    """The settings of airframes."""

    airframes_url: str = setting(
        "",
        "address of a list of airframes in tar1090's format, which the console loads when an administrator asks for it"
        " (empty: lists are uploaded)",
        parse=_address,
        stored=True,
    )
    airframes_max_bytes: int = setting(
        33_554_432,
        "largest list of airframes that the console takes or loads (bytes)",
        minimum=1024,
        maximum=268_435_456,
    )
