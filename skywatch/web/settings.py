"""The settings of the web application."""

from __future__ import annotations

import dataclasses
import os
from typing import Literal
from urllib.parse import urlsplit

from skywatch.core.text.names import all_shown
from skywatch.settings import Settings, SettingsError, setting
from skywatch.settings.kinds import parse_origins
from skywatch.web.kiosk import parse_kiosk_views
from skywatch.web.photos import proxy_refusal


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
    if len(text) > 200 or not all_shown(text):
        raise ValueError("must be one line of at most 200 characters")
    return text


@dataclasses.dataclass(frozen=True)
class BaseMap:
    """A map below the aircraft: its name, the address of its tiles or its archive, and its source for people."""

    name: str
    kind: Literal["tiles", "archive"]
    address: str
    attribution: str


def parse_base_map(name: str, text: str) -> BaseMap:
    """A member of ``base_map.*``: an address and, after a space, its source; raises ValueError."""
    address, _, attribution = text.strip().partition(" ")
    if not address:
        raise ValueError("must begin with an address, such as https://tiles.example/{z}/{x}/{y}.png")
    source = parse_attribution(attribution.strip())
    if urlsplit(address).path.endswith(".pmtiles"):
        return BaseMap(name, "archive", parse_pmtiles(address), source)
    return BaseMap(name, "tiles", parse_tiles_url(address), source)


def parse_weather(text: str) -> BaseMap | None:
    """``weather_tiles_url``: an address of tiles and, after a space, its source; raises ValueError."""
    address, _, attribution = text.strip().partition(" ")
    if not address:
        return None
    return BaseMap("weather", "tiles", parse_tiles_url(address), parse_attribution(attribution.strip()))


def _kiosk_text(text: str) -> str:
    parse_kiosk_views(text)
    return text.strip()


def _weather_text(text: str) -> str:
    parse_weather(text)
    return text.strip()


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
        "",
        "address of a PMTiles archive with raster or vector tiles, used in place of map_tiles_url",
        parse=parse_pmtiles,
    )
    map_attribution: str = setting(
        "",
        "source of the tiles as the map names it; an https address at its end becomes its link "
        "(PMTiles archives that name their source need none)",
        parse=parse_attribution,
    )

    photo_source: Literal["none", "planespotters"] = setting(
        "none", "whose photos of the selected aircraft readers may load, each after agreeing to it: none, planespotters"
    )
    photo_proxy: bool = setting(
        False, "fetch photos through this service; only where the source's terms permit it, which planespotters' do not"
    )
    operator_names: str = setting(
        "", "path of a file with names of operators, a line each: ICAO designator, comma, name; they go before ours"
    )
    weather_tiles_url: str = setting(
        "",
        "address of weather radar tiles above the land, with {z}, {x} and {y}, and after a space its source as in "
        "map_attribution; fetched again every 5 minutes while the layer is on",
        parse=_weather_text,
    )
    embed_origins: tuple[str, ...] = setting(
        (),
        "origins whose pages may show the kiosk (/?kiosk=1) in a frame, such as https://home.example.org; no other "
        "page of the service can be framed",
        parse=parse_origins,
    )
    kiosk_views: str = setting(
        "",
        "places that the kiosk shows one after the other, separated by semicolons: NAME lat,lon,zoom,seconds, such as "
        "Zurich 47.46,8.55,9,30; Alps 46.5,9.0,8,20 (at most 20; zoom 2 to 17, 5 to 3600 seconds)",
        parse=_kiosk_text,
    )

    def check(self) -> None:
        """Refuse base maps without a good address or source, a proxy for photos, and a missing file of operators."""
        self.all_base_maps()
        if self.photo_proxy and (reason := proxy_refusal(self.photo_source)):
            raise SettingsError("photo_proxy", reason)
        if self.operator_names:
            if not os.path.isfile(self.operator_names):
                raise SettingsError("operator_names", f"there is no file {self.operator_names}")
            if not os.access(self.operator_names, os.R_OK):
                raise SettingsError("operator_names", f"cannot read {self.operator_names}")

    def all_base_maps(self) -> list[BaseMap]:
        """Of ``map_pmtiles`` or ``map_tiles_url``, without a name, then the named ones; raises SettingsError."""
        base_maps = []
        if self.map_pmtiles:
            base_maps.append(BaseMap("", "archive", self.map_pmtiles, self.map_attribution))
        elif self.map_tiles_url:
            base_maps.append(BaseMap("", "tiles", self.map_tiles_url, self.map_attribution))
        for name, text in self.base_maps.items():
            try:
                base_maps.append(parse_base_map(name, text))
            except ValueError as error:
                raise SettingsError(f"base_map.{name}", str(error)) from None
        return base_maps
