"""The settings of the web application."""

from __future__ import annotations

import dataclasses
from urllib.parse import urlsplit

from skywatch.settings import Settings, SettingsError, setting


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


@dataclasses.dataclass(frozen=True)
class BaseMap:
    """A map below the aircraft: its name, the address of its tiles or its archive, and its source for people."""

    name: str
    address: str
    attribution: str

    @property
    def is_archive(self) -> bool:
        """Whether the address is one of a PMTiles archive."""
        return urlsplit(self.address).path.endswith(".pmtiles")


def parse_base_map(name: str, text: str) -> BaseMap:
    """A member of ``base_map.*``: an address and, after a space, its source; raises ValueError."""
    address, _, attribution = text.strip().partition(" ")
    if not address:
        raise ValueError("must begin with an address, such as https://tiles.example/{z}/{x}/{y}.png")
    base_map = BaseMap(name, address, parse_attribution(attribution.strip()))
    if base_map.is_archive:
        parse_pmtiles(address)
    else:
        parse_tiles_url(address)
    return base_map


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
    base_maps: dict[str, str] = setting(
        {},
        "a map below the aircraft that people choose: address of tiles with {z}, {x} and {y}, or of a PMTiles archive "
        "(.pmtiles), and after a space its source as in map_attribution",
        name="base_map.*",
    )
    map_tiles_url: str = setting(
        "",
        "address of map tiles below the aircraft, with {z}, {x} and {y}: the first base map",
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

    def check(self) -> None:
        """Refuse base maps whose address or source cannot be used."""
        self.all_base_maps()

    def all_base_maps(self) -> list[BaseMap]:
        """Of ``map_pmtiles`` or ``map_tiles_url``, without a name, then the named ones; raises SettingsError."""
        first = self.map_pmtiles or self.map_tiles_url
        found = [BaseMap("", first, self.map_attribution)] if first else []
        for name, text in self.base_maps.items():
            try:
                found.append(parse_base_map(name, text))
            except ValueError as error:
                raise SettingsError(f"base_map.{name}", str(error)) from None
        return found
