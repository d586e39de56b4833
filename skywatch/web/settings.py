"""The settings of the web application."""

from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from skywatch.core.text.names import all_shown
from skywatch.sentences import sentence
from skywatch.settings import Settings, SettingsError, setting
from skywatch.settings.kinds import parse_origins
from skywatch.web.kiosk import parse_kiosk_views
from skywatch.web.photos import proxy_refusal

# The name of the base map of the own region, among those that people name.
REGION_NAME = "region"
EXAMPLE = "https://tiles.example/{z}/{x}/{y}.png"
TILE_PLACES = "{z} {x} {y}"
PLACE = re.compile(r"\{[^{}]*\}")
# A range of hosts, and what a policy can name: a name, or an IPv6 address, and a port.
_RANGE = re.compile(r"\{(?:([a-z])-([a-z])|([0-9]{1,3})-([0-9]{1,3}))\}")
_HOST = re.compile(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")
# Each is in the policy of every page.
MOST_HOSTS = 26
# What the map puts the numbers of a tile in, and hosts between two letters or digits.
KNOWN_PLACE = re.compile(r"\{(z|x|-?y|[a-z]-[a-z]|[0-9]+-[0-9]+)\}")


def parse_tiles_url(text: str) -> str:
    """An address of map tiles: http or https, with ``{z}``, ``{x}`` and ``{y}`` (or ``{-y}``)."""
    if not text:
        return ""
    _check_address(text)
    places = PLACE.findall(text)
    if not {"{z}", "{x}"} <= set(places) or not {"{y}", "{-y}"} & set(places):
        raise ValueError(
            sentence("web.tile_places", "must hold {places}, such as {example}", places=TILE_PLACES, example=EXAMPLE)
        )
    return text


def hosts_of(address: str) -> list[str]:
    """The hosts of an address with their ports, those of a range such as ``{a-c}`` one by one; raises ValueError."""
    netloc = urlsplit(address).netloc
    found = _RANGE.search(netloc)
    hosts = [netloc]
    if found is not None:
        first, last = (found[1], found[2]) if found[1] else (found[3], found[4])
        if found[1]:
            parts = [chr(code) for code in range(ord(first), ord(last) + 1)]
        else:
            parts = [str(number) for number in range(int(first), int(last) + 1)]
        hosts = [netloc[: found.start()] + part + netloc[found.end() :] for part in parts]
    if not 0 < len(hosts) <= MOST_HOSTS or not all(_HOST.fullmatch(host) for host in hosts):
        raise ValueError(
            sentence(
                "web.host",
                "must name a host by letters, digits, dots and hyphens, at most with one range such as {hosts}",
                hosts="{a-c}",
            )
        )
    return hosts


def parse_pmtiles(text: str) -> str:
    """An address of a PMTiles archive: http or https."""
    if text:
        _check_address(text)
    return text


def parse_region_source(text: str) -> str:
    """An address of a PMTiles archive of the world, in which ``{date}`` is the day of a build."""
    _check_address(text)
    return text


def parse_attribution(text: str) -> str:
    """The source of the tiles for people, such as ``© A https://a.example``: one line, at most 200 characters."""
    if len(text) > 200 or not all_shown(text):
        raise ValueError(sentence("web.one_line", "must be one line of at most 200 characters"))
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
    return BaseMap(name, base_map_kind(address), address, parse_attribution(attribution.strip()))


def base_map_kind(address: str) -> Literal["tiles", "archive"]:
    """What the address of a base map leads to; raises ValueError for one that leads to neither."""
    if not address:
        raise ValueError(sentence("web.no_address", "must begin with an address, such as {example}", example=EXAMPLE))
    if urlsplit(address).path.endswith(".pmtiles"):
        parse_pmtiles(address)
        return "archive"
    parse_tiles_url(address)
    return "tiles"


def check_base_map(address: str) -> None:
    """Raises ValueError for an address that leads to no base map, or whose tiles would not come."""
    kind, hosts = base_map_kind(address), hosts_of(address)
    if kind == "archive" and len(hosts) > 1:
        raise ValueError(sentence("web.one_host", "must name one host"))
    unknown = [place for place in PLACE.findall(address) if not KNOWN_PLACE.fullmatch(place)]
    if kind == "tiles" and unknown:
        raise ValueError(
            sentence(
                "web.unknown_place",
                "holds {place}, which stands for nothing here; several hosts are written {hosts}",
                place=unknown[0],
                hosts="{a-c}",
            )
        )


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
        raise ValueError(sentence("web.address", "must be an http or https address without credentials"))
    # What ends up in a header of its own must not be able to end it.
    if any(character in text for character in " ;,\"'<>") or not text.isprintable():
        raise ValueError(sentence("web.address_characters", "must not hold spaces, quotes, commas or semicolons"))


def _check_region(path: Path) -> None:
    # It may be fetched later, into a folder that is there.
    if not path.parent.is_dir() or (path.exists() and not (path.is_file() and os.access(path, os.R_OK))):
        raise SettingsError("map_region_file", f"cannot read {path}")


@dataclasses.dataclass(frozen=True, kw_only=True)
class WebSettings(Settings):
    """The settings of the web application."""

    web_enabled: bool = setting(True, "the web application at /")
    base_maps: dict[str, str] = setting(
        {},
        "a map below the aircraft that people choose: address of tiles with {z}, {x} and {y}, or of a PMTiles archive "
        "(.pmtiles), and after a space its source as in map_attribution",
        name="base_map.*",
        stored=True,
    )
    map_tiles_url: str = setting(
        "",
        "address of map tiles below the aircraft, with {z}, {x} and {y}: the first base map",
        parse=parse_tiles_url,
        stored=True,
    )
    map_pmtiles: str = setting(
        "",
        "address of a PMTiles archive with raster or vector tiles, used in place of map_tiles_url",
        parse=parse_pmtiles,
        stored=True,
    )
    map_region_file: str = setting(
        "",
        "path of a PMTiles archive of your region, which this service serves itself, to whoever may see live aircraft: "
        "the first base map; empty: one beside an SQLite database; the console fetches it",
    )
    map_region_url: str = setting(
        "https://build.protomaps.com/{date}.pmtiles",
        "address of a PMTiles archive of the world from which the console fetches the map of your region by ranges; "
        "{date} is the day of the newest build, such as 20261101",
        parse=parse_region_source,
        stored=True,
    )
    map_attribution: str = setting(
        "",
        "source of the tiles as the map names it; an https address at its end becomes its link "
        "(PMTiles archives that name their source need none)",
        parse=parse_attribution,
        stored=True,
    )

    photo_source: Literal["none", "planespotters"] = setting(
        "none",
        "whose photos of the selected aircraft readers may load, each after agreeing to it: none, planespotters",
        stored=True,
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
        stored=True,
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
        if self.map_region_file:
            _check_region(Path(self.map_region_file))
        if self.operator_names:
            if not os.path.isfile(self.operator_names):
                raise SettingsError("operator_names", f"there is no file {self.operator_names}")
            if not os.access(self.operator_names, os.R_OK):
                raise SettingsError("operator_names", f"cannot read {self.operator_names}")

    def all_base_maps(self) -> list[BaseMap]:
        """That of ``map_pmtiles`` or ``map_tiles_url``, and the named ones; raises SettingsError."""
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
