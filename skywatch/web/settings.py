"""The settings of the web application."""

from __future__ import annotations

import dataclasses
from urllib.parse import urlsplit

from skywatch.settings import Settings, setting


def parse_tiles_url(text: str) -> str:
    """An address of map tiles: http or https, with ``{z}``, ``{x}`` and ``{y}`` (or ``{-y}``)."""
    if not text:
        return ""
    _check_address(text)
    if "{z}" not in text or "{x}" not in text or not ("{y}" in text or "{-y}" in text):
        raise ValueError("must hold {z}, {x} and {y}, such as https://tiles.example/{z}/{x}/{y}.png")
    return text


def parse_pmtiles(text: str) -> str:
    """An address of a PMTiles archive: http or https."""
    if text:
        _check_address(text)
    return text


def parse_attribution(text: str) -> str:
    """The source of the tiles for people, such as ``© A https://a.example``: one line, at most 200 characters."""
    if len(text) > 200 or not text.isprintable():
        raise ValueError("must be one line of at most 200 characters")
    return text


def _check_address(text: str) -> None:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise ValueError("must be an http or https address without credentials")
    # What ends up in a header of its own must not be able to end it.
    if any(character in text for character in " ;,\"'<>") or not text.isprintable():
        raise ValueError("must not hold spaces, quotes, commas or semicolons")


@dataclasses.dataclass(frozen=True, kw_only=True)
class WebSettings(Settings):
    """The settings of the web application."""

    web_enabled: bool = setting(True, "the web application at /")
    map_tiles_url: str = setting(
        "",
        "address of map tiles below the aircraft, with {z}, {x} and {y}; the only foreign host that pages may ask",
        parse=parse_tiles_url,
    )
    map_pmtiles: str = setting(
        "", "address of a PMTiles archive with raster tiles, used in place of map_tiles_url", parse=parse_pmtiles
    )
    map_attribution: str = setting(
        "",
        "source of the tiles as the map names it; an https address at its end becomes its link "
        "(PMTiles archives that name their source need none)",
        parse=parse_attribution,
    )
