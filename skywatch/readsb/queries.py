"""Queries in the language of readsb's API (``/?circle=47.4,8.5,50&filter_mil``): pure functions over a sky.

One selection (``all``, ``all_with_pos``, ``box``, ``circle``, ``closest``, ``find_hex``, ``find_callsign``,
``find_reg``, ``find_type``; ``box`` and ``find_hex`` also together) and any number of filters, all of which must match;
of the filters for marks one must match. Parameters that mean nothing here are passed over.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import numpy.typing as npt

from skywatch.aircraft import filters
from skywatch.aircraft.bodies import with_members
from skywatch.core import geo
from skywatch.core.problems import invalid
from skywatch.http.resources.render import encode
from skywatch.http.resources.schema import ICAO_ADDRESS, parse_number
from skywatch.picture.state.sky import Sky
from skywatch.readsb.bincraft import BINARY, PACKED_BINARY, encode_rows, packed
from skywatch.readsb.bodies import bodies
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

# readsb's own limit on the length of a list.
MAX_LISTED = 1000
MAX_PARAMETERS = 100
MAX_RADIUS_NM = 12_000.0
# What marks mean in dbFlags.
MARKS = {"filter_mil": 1, "filter_interesting": 2, "filter_pia": 4, "filter_ladd": 8}
BARE = ("all", "all_with_pos", "filter_with_pos", "jv2", "status", "bincraft", "zstd", *MARKS)
SELECTIONS = (
    "all",
    "all_with_pos",
    "box",
    "circle",
    "closest",
    "find_hex",
    "find_callsign",
    "find_reg",
    "find_type",
)
_DB_FLAGS = re.compile(rb'"dbFlags":([0-9]+)')

Circle = tuple[float, float, float]
Box = tuple[float, float, float, float]


@dataclass
class Query:
    """What is asked for, by readsb's names; ``box`` is south, north, west, east."""

    bare: set[str] = field(default_factory=set)
    box: Box | None = None
    circle: Circle | None = None
    closest: Circle | None = None
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    above_ft: float | None = None
    below_ft: float | None = None

    @property
    def key(self) -> str:
        """The same text for the same question."""
        return repr((sorted(self.bare), self.box, self.circle, self.closest, sorted(self.lists.items()),
                     sorted(self.texts.items()), self.above_ft, self.below_ft))  # fmt: skip

    @property
    def is_v2(self) -> bool:
        """Whether the answer is to be in the form of ADSBexchange's v2 interface."""
        return "jv2" in self.bare

    @property
    def content_type(self) -> str:
        """The media type of the answer."""
        if "zstd" in self.bare:
            return PACKED_BINARY
        return BINARY if "bincraft" in self.bare else "application/json"


def parse(query_string: str) -> Query:
    """The query of an address; raises Problem (400) that names the parameter that is wrong."""
    try:
        pairs = parse_qsl(query_string, keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
    except ValueError:
        raise invalid(
            "query",
            sentence("readsb.parameters", "has more than {most} parameters", most=MAX_PARAMETERS),
            "querystring",
        ) from None
    query = Query()
    for raw_name, value in pairs:
        name = raw_name.lower()
        if name in BARE:
            query.bare.add(name)
        elif name in _READERS:
            try:
                _READERS[name](query, value)
            except ValueError as error:
                raise invalid(raw_name, str(error), "querystring") from None
    if "status" not in query.bare:
        _check_selection(query)
    return query


def select(sky: Sky, query: Query, military: bool) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64] | None]:
    """The rows that match, and their distances from the centre (nm) where a circle is asked for."""
    visible = np.ones(len(sky), bool) if military else ~sky.column("military")
    mask, distances = _selected(sky, query)
    mask &= visible
    for name, apply in _FILTERS.items():
        if name in query.bare or name in query.lists or name in query.texts:
            mask &= apply(sky, query)
    if query.above_ft is not None or query.below_ft is not None:
        mask &= _altitude_within(sky, query)
    rows = np.flatnonzero(mask)
    marks = sum(MARKS[name] for name in MARKS if name in query.bare)
    if marks:
        rows = np.array([row for row in rows.tolist() if _db_flags(sky, row) & marks], np.intp)
    if distances is not None and query.closest is not None and len(rows):
        rows = rows[[int(np.argmin(distances[rows]))]]
    return rows, distances


def answer(sky: Sky, query: Query, visibility: Visibility) -> bytes:
    """The answer as readsb writes it: binCraft, or JSON in its own form or in that of v2; with ``zstd`` packed."""
    body = _answer(sky, query, visibility)
    return packed(body) if "zstd" in query.bare else body


def _answer(sky: Sky, query: Query, visibility: Visibility) -> bytes:
    began = time.perf_counter()
    rows, distances = select(sky, query, visibility.military)
    if "bincraft" in query.bare:
        south, north, west, east = query.box or (-90, 90, -180, 180)
        return encode_rows(sky, rows.tolist(), visibility, (south, west, north, east))
    encoded = bodies(sky, rows.tolist(), visibility)
    centre = query.circle or query.closest
    if distances is not None and centre is not None:
        lat, lon = sky.column("lat")[rows], sky.column("lon")[rows]
        directions = geo.bearing_deg(centre[0], centre[1], lat, lon)
        encoded = [
            with_members(body, {"dst": round(distance, 3), "dir": round(direction, 1)})
            for body, distance, direction in zip(encoded, distances[rows].tolist(), directions.tolist(), strict=True)
        ]
    took_ms = (time.perf_counter() - began) * 1000
    joined = b",".join(encoded)
    if query.is_v2:
        now_ms = round(sky.now * 1000)
        rest: dict[str, Any] = {"msg": "No error", "now": now_ms, "total": len(encoded), "ctime": now_ms}
        return b'{"ac":[' + joined + b"]," + encode({**rest, "ptime": round(took_ms)})[1:]
    head = b'{"now":%b,"aircraft":[' % encode(round(sky.now, 3))
    return head + joined + b"]," + encode({"resultCount": len(encoded), "ptime": round(took_ms, 3)})[1:]


def _check_selection(query: Query) -> None:
    given = [name for name in SELECTIONS if name in query.bare or name in query.lists or getattr(query, name, None)]
    if len(given) == 1 or given == ["box", "find_hex"]:
        return
    names = ", ".join(SELECTIONS)
    if not given:
        raise invalid("query", sentence("readsb.needs_one", "needs one of {names}", names=names), "querystring")
    raise invalid(
        given[1],
        sentence("readsb.combined", "cannot be combined with {given}: one of {names}", given=given[0], names=names),
        "querystring",
    )


def _selected(sky: Sky, query: Query) -> tuple[filters.Mask, npt.NDArray[np.float64] | None]:
    """What the selection picks, and all distances where it is a circle."""
    lat, lon = sky.column("lat"), sky.column("lon")
    circle = query.circle or query.closest
    if circle is not None:
        distances = filters.distances(sky, circle[0], circle[1])
        return distances <= circle[2], distances
    if query.box is not None:
        south, north, west, east = query.box
        mask: filters.Mask = geo.inside_box(lat, lon, west, south, east, north)
        if "find_hex" in query.lists:
            mask |= _listed(sky, "find_hex", query)
        return mask, None
    for name in ("find_hex", *_COLUMNS):
        if name in query.lists:
            return _listed(sky, name, query), None
    mask = np.ones(len(sky), bool)
    return (mask & ~np.isnan(lat) if "all_with_pos" in query.bare else mask), None


def _listed(sky: Sky, name: str, query: Query) -> filters.Mask:
    if name == "find_hex":
        mask = np.zeros(len(sky), bool)
        mask[[sky.index[address] for address in query.lists[name] if address in sky.index]] = True
        return mask
    return np.isin(sky.column(_COLUMNS[name]), [text.encode() for text in query.lists[name]])


def _altitude_within(sky: Sky, query: Query) -> filters.Mask:
    """Barometric altitude alone, as in readsb; on the ground is 0."""
    altitude = np.where(sky.column("on_ground"), 0.0, sky.column("alt_baro_ft").astype(np.float64))
    low = -np.inf if query.above_ft is None else query.above_ft
    high = np.inf if query.below_ft is None else query.below_ft
    within: filters.Mask = (altitude >= low) & (altitude <= high)
    return within


def _db_flags(sky: Sky, row: int) -> int:
    match = _DB_FLAGS.search(sky.encoded[row])
    flags = int(match[1]) if match else 0
    return flags | (MARKS["filter_mil"] if sky.column("military")[row] else 0)


def _numbers(value: str, names: str) -> list[float]:
    parts = value.split(",")
    if len(parts) != len(names.split(",")):
        raise ValueError(sentence("readsb.numbers", "must be {names}", names=names))
    return [parse_number(part.strip()) for part in parts]


def _read_box(query: Query, value: str) -> None:
    south, north, west, east = _numbers(value, "south,north,west,east")
    if not (-90 <= south <= north <= 90 and -180 <= west <= 180 and -180 <= east <= 180):
        raise ValueError(sentence("readsb.box", "must be south,north,west,east in degrees"))
    query.box = (south, north, west, east)


def _read_circle(value: str) -> Circle:
    lat, lon, radius_nm = _numbers(value, "lat,lon,radius_nm")
    if not (-90 <= lat <= 90 and -180 <= lon <= 180):
        raise ValueError(sentence("readsb.not_on_earth", "is not on the Earth"))
    if not 0 <= radius_nm <= MAX_RADIUS_NM:
        raise ValueError(
            sentence("readsb.radius", "must have a radius between 0 and {most} nm", most=f"{MAX_RADIUS_NM:g}")
        )
    return lat, lon, radius_nm


def _set_circle(query: Query, value: str) -> None:
    query.circle = _read_circle(value)


def _set_closest(query: Query, value: str) -> None:
    query.closest = _read_circle(value)


def _words(value: str) -> tuple[str, ...]:
    words = tuple(sorted({word.strip().upper() for word in value.split(",") if word.strip()}))
    if len(words) > MAX_LISTED:
        raise ValueError(sentence("readsb.listed", "may list at most {most}", most=MAX_LISTED))
    if not words or not all(word.isascii() and word.isprintable() for word in words):
        raise ValueError(sentence("readsb.list", "must be a list separated by commas"))
    return words


def _read_addresses(query: Query, value: str) -> None:
    words = _words(value)
    if not all(ICAO_ADDRESS.fullmatch(word) for word in words):
        raise ValueError(
            sentence("readsb.addresses", "must be ICAO addresses of six hexadecimal digits, separated by commas")
        )
    query.lists["find_hex"] = tuple(word.lower() for word in words)


def _read_list(name: str) -> Callable[[Query, str], None]:
    def read(query: Query, value: str) -> None:
        query.lists[name] = _words(value)

    return read


def _read_text(name: str) -> Callable[[Query, str], None]:
    def read(query: Query, value: str) -> None:
        text = value.strip().upper()
        if not text or len(text) > 8 or not text.isascii():
            raise ValueError(sentence("readsb.characters", "must have one to eight characters"))
        query.texts[name] = text

    return read


def _read_squawk(query: Query, value: str) -> None:
    if not re.fullmatch("[0-7]{4}", value.strip()):
        raise ValueError(sentence("readsb.squawk", "must be four digits from 0 to 7"))
    query.texts["filter_squawk"] = value.strip()


def _read_above(query: Query, value: str) -> None:
    query.above_ft = parse_number(value.strip())


def _read_below(query: Query, value: str) -> None:
    query.below_ft = parse_number(value.strip())


_COLUMNS = {"find_callsign": "flight", "find_reg": "registration", "find_type": "type"}
_READERS: dict[str, Callable[[Query, str], None]] = {
    "box": _read_box,
    "circle": _set_circle,
    "closest": _set_closest,
    "find_hex": _read_addresses,
    "hexlist": _read_addresses,
    **{name: _read_list(name) for name in (*_COLUMNS, "filter_type")},
    **{name: _read_text(name) for name in ("filter_callsign_exact", "filter_callsign_prefix")},
    "filter_squawk": _read_squawk,
    "above_alt_baro": _read_above,
    "below_alt_baro": _read_below,
}
_FILTERS: dict[str, Callable[[Sky, Query], Any]] = {
    "filter_with_pos": lambda sky, query: ~np.isnan(sky.column("lat")),
    "filter_type": lambda sky, query: np.isin(
        sky.column("type"), [text.encode() for text in query.lists["filter_type"]]
    ),
    "filter_squawk": lambda sky, query: sky.column("squawk") == query.texts["filter_squawk"].encode(),
    "filter_callsign_exact": lambda sky, query: sky.column("flight") == query.texts["filter_callsign_exact"].encode(),
    "filter_callsign_prefix": lambda sky, query: np.char.startswith(
        sky.column("flight"), query.texts["filter_callsign_prefix"].encode()
    ),
}
