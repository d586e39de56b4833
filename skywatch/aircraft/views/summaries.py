"""The picture from other sides: the nearest aircraft, numbers, what stands out, trails, and a map layer."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pyramid.response import Response

from skywatch.aircraft import filters, schemas
from skywatch.aircraft.airspaces import AirspaceStore
from skywatch.aircraft.bodies import with_members, without_position
from skywatch.aircraft.live import live_response, live_sky, refuse_hidden_filters
from skywatch.core import geo
from skywatch.core.problems import invalid
from skywatch.http.lists.conditional import not_modified, set_etag
from skywatch.http.resources.render import encode, json_response
from skywatch.http.resources.service import ApiService
from skywatch.picture.access import picture_replica
from skywatch.picture.counted import CountedSky, counted_rows
from skywatch.picture.distribution.sky_request import SkyRequest
from skywatch.picture.state.own_antenna import heard
from skywatch.picture.state.sky import Sky
from skywatch.picture.trails.trail import Point
from skywatch.receivers.reports.report import SOURCES
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

nearest = ApiService("aircraft.nearest", "/aircraft/nearest", feature="aircraft")
stats = ApiService("aircraft.stats", "/aircraft/stats", feature="aircraft")
trails = ApiService("aircraft.trails", "/aircraft/trails", feature="aircraft")
top = ApiService("aircraft.top", "/aircraft/top", feature="aircraft")
airspaces = ApiService("aircraft.airspaces", "/aircraft/airspaces", feature="aircraft")
geojson = ApiService("aircraft.geojson", "/aircraft/geojson", feature="aircraft")

ALTITUDE_BANDS_FT = (0, 1_000, 5_000, 10_000, 20_000, 30_000, 40_000)
MAX_FREQUENT_TYPES = 20


@nearest.get(
    permission=Permission.AIRCRAFT_VIEW, query=schemas.NearestQuery(), responses={200: schemas.NearestList(), 304: None}
)
def list_nearest_aircraft(request: SkyRequest) -> Response:
    """The aircraft nearest to a point, or to the station"""
    query = request.validated["querystring"]
    lat, lon = _point(live_sky(request), query)

    def build(sky: Sky, visibility: Visibility) -> bytes:
        flags = {name: value for name, value in query.items() if name in filters.FLAG_FILTERS}
        mask = filters.select(sky, flags, military=visibility.military)
        distance = np.where(mask, filters.distances(sky, lat, lon), np.nan)
        rows = _best(distance, query["limit"], smallest=True)
        bearing = geo.bearing_deg(lat, lon, sky.column("lat")[rows], sky.column("lon")[rows])
        bodies = [
            with_members(
                sky.body(row, visibility.details),
                {"from_nm": round(float(distance[row]), 2), "from_bearing": round(float(from_bearing), 1)},
            )
            for row, from_bearing in zip(rows, bearing, strict=True)
        ]
        head = b'{"now":%s,"count":%d,"aircraft":[' % (encode(round(sky.now, 3)), len(rows))
        return head + b",".join(bodies) + b"]}"

    return live_response(request, build, query)


@stats.get(permission=Permission.AIRCRAFT_VIEW, responses={200: schemas.AircraftStats(), 304: None})
def get_aircraft_stats(request: SkyRequest) -> Response:
    """The picture in numbers

    Simulated aircraft count until another one has been heard.
    """
    simulated = request.runtime.shared(CountedSky).shows_simulated

    def build(sky: Sky, visibility: Visibility) -> bytes:
        mask = filters.select(sky, {}, military=visibility.military) & counted_rows(sky, simulated=simulated)
        return encode(statistics(sky, mask))

    return live_response(request, build, str(simulated), with_details=False)


@top.get(
    permission=Permission.AIRCRAFT_VIEW, query=schemas.TopQuery(), responses={200: schemas.TopAircraft(), 304: None}
)
def list_top_aircraft(request: SkyRequest) -> Response:
    """The aircraft that stand out: highest, fastest, climbing, descending, farthest, nearest, longest seen

    Simulated aircraft are among them until another one has been heard.
    """
    limit = request.validated["querystring"]["limit"]
    simulated = request.runtime.shared(CountedSky).shows_simulated

    def build(sky: Sky, visibility: Visibility) -> bytes:
        mask = filters.select(sky, {}, military=visibility.military) & counted_rows(sky, simulated=simulated)
        rate = sky.column("baro_rate_fpm")
        rankings = {
            "highest": (filters.altitude_ft(sky), False),
            "fastest": (sky.column("gs_kt"), False),
            "climbing": (np.where(rate > 0, rate, np.nan), False),
            "descending": (np.where(rate < 0, rate, np.nan), True),
            "farthest": (sky.column("distance_nm"), False),
            "nearest": (sky.column("distance_nm"), True),
            "longest": (sky.column("first_seen"), True),
        }
        lists = []
        for name, (values, smallest) in rankings.items():
            rows = _best(np.where(mask, values, np.nan), limit, smallest=smallest)
            lists.append(b'"%s":%s' % (name.encode(), sky.bodies(rows, visibility.details)))
        return b'{"now":%s,' % encode(round(sky.now, 3)) + b",".join(lists) + b"}"

    return live_response(request, build, f"{limit} {simulated}")


@trails.get(permission=Permission.AIRCRAFT_VIEW, query=schemas.TrailsQuery(), responses={200: schemas.AircraftTrails()})
def list_aircraft_trails(request: SkyRequest) -> Response:
    """The trails of up to 100 aircraft, for maps that show them all

    Each is its current flight over the last `since_s` seconds; where it turned there is a position every five seconds,
    in straight flight every thirty. Aircraft that are not in the sky are left out.
    """
    query, sky, military = request.validated["querystring"], live_sky(request), request.visibility.military
    hidden = sky.column("military")
    addresses = [
        address
        for address in dict.fromkeys(query["icao_hex"])
        if (row := sky.index.get(address)) is not None and (military or not hidden[row])
    ]
    stored = request.runtime.shared(picture_replica).trails(addresses, sky.now - query["since_s"])
    entries = [_columns(address, points) for address, points in zip(addresses, stored, strict=True)]
    return json_response(encode({"now": round(sky.now, 3), "trails": entries}))


@airspaces.get(permission=Permission.AIRCRAFT_VIEW, responses={200: "application/geo+json", 304: None})
def get_airspaces(request: SkyRequest) -> Response:
    """The airspaces of the installation as a GeoJSON FeatureCollection (RFC 7946)

    They are those of the setting `airspace_file`, else those that were uploaded in the console. Properties: `name`,
    `class` (of OpenAir, else null), `floor_ft` and `ceiling_ft` (null is open).
    """
    stored = request.runtime.shared(AirspaceStore).current
    unchanged = not_modified(request, stored.etag)
    if unchanged is not None:
        return unchanged
    return set_etag(json_response(stored.body, content_type="application/geo+json"), stored.etag)


@geojson.get(
    permission=Permission.AIRCRAFT_VIEW,
    query=schemas.PositionQuery(),
    remember_query=True,
    responses={200: "application/geo+json", 304: None},
)
def get_aircraft_geojson(request: SkyRequest) -> Response:
    """The picture as a GeoJSON FeatureCollection of points (RFC 7946)

    Only aircraft with a position. The third coordinate is the height above the ellipsoid in metres, where known.
    """
    query = request.validated["querystring"]
    refuse_hidden_filters(request.visibility, set(query))

    def build(sky: Sky, visibility: Visibility) -> bytes:
        mask = filters.select(sky, query, military=visibility.military) & ~np.isnan(sky.column("lat"))
        features = _features(sky, np.flatnonzero(mask), visibility)
        return b'{"type":"FeatureCollection","features":[' + b",".join(features) + b"]}"

    return live_response(request, build, query, content_type="application/geo+json")


def statistics(sky: Sky, mask: filters.Mask) -> dict[str, Any]:
    """The numbers of the aircraft in a mask."""
    on_ground, altitude = sky.column("on_ground")[mask], filters.altitude_ft(sky)[mask]
    positions = ~np.isnan(sky.column("lat")[mask])
    types = _counts(sky.column("type")[mask])
    frequent = sorted(types.items(), key=lambda item: (-item[1], item[0]))[:MAX_FREQUENT_TYPES]
    source = np.bincount(sky.column("source")[mask], minlength=len(SOURCES))
    receiver = np.bincount(sky.column("receiver")[mask], minlength=len(sky.receivers))
    total = int(mask.sum())
    return {
        "now": round(sky.now, 3),
        "messages": sky.messages,
        "total": total,
        "with_position": int(positions.sum()),
        "on_ground": int(on_ground.sum()),
        "airborne": total - int(on_ground.sum()),
        "military": int(sky.column("military")[mask].sum()),
        "emergency": int(sky.column("emergency")[mask].sum()),
        "farthest_nm": _largest(sky.column("distance_nm")[mask & heard(sky)], 1),
        "highest_ft": _largest(altitude, 0),
        "fastest_kt": _largest(sky.column("gs_kt")[mask], 1),
        "by_source": {name: int(n) for name, n in zip(SOURCES, source, strict=False) if n},
        "by_category": _counts(sky.column("category")[mask]),
        "by_altitude": _bands(altitude, on_ground),
        "by_receiver": _summed(sky.receivers, receiver.tolist()),
        "by_type": dict(frequent),
    }


def _point(sky: Sky, query: dict[str, Any]) -> tuple[float, float]:
    if ("lat" in query) != ("lon" in query):
        raise invalid(
            "lon" if "lat" in query else "lat",
            sentence("aircraft.lat_lon_together", "is needed: lat and lon belong together"),
            "querystring",
        )
    if "lat" in query:
        return query["lat"], query["lon"]
    if sky.station is None:
        raise invalid(
            "lat",
            sentence("aircraft.no_station_place", "is needed: the station's position is not set, or not shown"),
            "querystring",
        )
    return sky.station


def _columns(address: str, points: Sequence[Point]) -> dict[str, Any]:
    return {
        "hex": address,
        "at": [point.at for point in points],
        "lat": [point.lat for point in points],
        "lon": [point.lon for point in points],
        "altitude_ft": [None if point.on_ground else point.altitude_ft for point in points],
        "on_ground": [point.on_ground for point in points],
    }


def _best(values: npt.NDArray[Any], limit: int, *, smallest: bool) -> list[int]:
    """The rows of the smallest or largest values that are known, best first."""
    rows = np.flatnonzero(~np.isnan(values))
    order = np.argsort(values[rows] if smallest else -values[rows], kind="stable")[:limit]
    return [int(row) for row in rows[order]]


def _largest(values: npt.NDArray[Any], digits: int) -> float | None:
    present = values[~np.isnan(values)]
    return round(float(present.max()), digits) if len(present) else None


def _counts(column: npt.NDArray[Any]) -> dict[str, int]:
    names, counts = np.unique(column[column != b""], return_counts=True)
    return {name.decode("ascii"): int(count) for name, count in zip(names, counts, strict=True)}


def _summed(names: Sequence[str], counts: Sequence[int]) -> dict[str, int]:
    """Counts above zero by name; all feeders have one name."""
    sums: Counter[str] = Counter()
    for name, count in zip(names, counts, strict=False):
        sums[name] += count
    return dict(+sums)


def _bands(altitude: npt.NDArray[Any], on_ground: npt.NDArray[np.bool_]) -> dict[str, int]:
    flying = altitude[~on_ground & ~np.isnan(altitude)]
    edges = [-np.inf, *ALTITUDE_BANDS_FT[1:], np.inf]
    counts, _ = np.histogram(flying, bins=edges)
    names = [f"{low}-{high}" for low, high in itertools.pairwise(ALTITUDE_BANDS_FT)]
    names.append(f"{ALTITUDE_BANDS_FT[-1]}+")
    bands = {"ground": int(on_ground.sum())}
    bands.update({name: int(count) for name, count in zip(names, counts, strict=True)})
    return bands


def _features(sky: Sky, rows: npt.NDArray[np.intp], visibility: Visibility) -> list[bytes]:
    features = []
    heights = sky.column("alt_geom_ft")[rows] / geo.FEET_PER_METRE
    for row, height_m in zip(rows.tolist(), heights.tolist(), strict=True):
        properties, lat, lon = without_position(sky.body(row, visibility.details))
        height = b"" if np.isnan(height_m) else b",%s" % encode(round(height_m, 1))
        features.append(
            b'{"type":"Feature","id":"%s","geometry":{"type":"Point","coordinates":[%s,%s%s]},"properties":%s}'
            % (sky.hexes[row].encode(), lon, lat, height, properties)
        )
    return features
