"""The picture for those who may know exactly where the station is (``station_accuracy``).

The picture itself is made with the place that everybody may know: what is encoded once a tick gives no more away,
whoever gets it. For the few others distances and bearings are replaced, once a tick and only where somebody asks.
"""

from __future__ import annotations

from dataclasses import replace

from skywatch.core import geo
from skywatch.picture.state.sky import Column, Sky

_DISTANCE, _BEARING, _LON = b',"distance_nm":', b',"bearing":', b',"lon":'
_SKY, _DISTANCES = "exact sky", "exact distances"


def exact(sky: Sky) -> Sky:
    """The same sky with distances and bearings from the exact place; ``sky`` itself where it has them."""
    if sky.exact_station is None or sky.exact_station == sky.station:
        return sky
    made: Sky | None = sky.scratch.get(_SKY)
    if made is None:
        distance_nm, bearing_deg = exact_distances(sky)
        encoded = [
            body
            if distance != distance
            else _with_distance(body, _number(round(distance, 3)), _number(round(bearing, 1)))
            for body, distance, bearing in zip(sky.encoded, distance_nm.tolist(), bearing_deg.tolist(), strict=True)
        ]
        columns = sky.columns | {"distance_nm": distance_nm.astype("f4"), "bearing_deg": bearing_deg.astype("f4")}
        made = replace(sky, columns=columns, encoded=encoded, station=sky.exact_station, scratch={})
        sky.scratch[_SKY] = made
    return made


def exact_distances(sky: Sky) -> tuple[Column, Column]:
    """Distance (nm) and bearing (degrees) of every aircraft from the exact place; NaN where either is not known."""
    distances: tuple[Column, Column] | None = sky.scratch.get(_DISTANCES)
    if distances is None:
        lat, lon = sky.column("lat"), sky.column("lon")
        if sky.exact_station is None:
            distances = sky.column("distance_nm"), sky.column("bearing_deg")
        else:
            distances = geo.distance_nm(*sky.exact_station, lat, lon), geo.bearing_deg(*sky.exact_station, lat, lon)
        sky.scratch[_DISTANCES] = distances
    return distances


def _with_distance(body: bytes, distance: bytes, bearing: bytes) -> bytes:
    """An encoded aircraft with another distance and bearing; both follow its longitude (``aircraft_json.MEMBERS``).

    Within a JSON string quotation marks are escaped, so ``,"name":`` can only be the name of a member.
    """
    begin = body.find(_DISTANCE)
    if begin < 0:  # The place that everybody may know is none.
        begin = end = _end(body, body.index(_LON) + len(_LON))
    else:
        end = _end(body, body.index(_BEARING, begin) + len(_BEARING))
    return b"".join((body[:begin], _DISTANCE, distance, _BEARING, bearing, body[end:]))


def _end(body: bytes, value: int) -> int:
    """Where a number ends."""
    comma = body.find(b",", value)
    return comma if comma >= 0 else len(body) - 1


def _number(value: float) -> bytes:
    return repr(value).encode()


def has_exact_distances(sky: Sky) -> bool:
    """Whether distances in this sky are from the exact place."""
    return sky.exact_station is not None and sky.station == sky.exact_station
