"""The geometry of a geofence: from GeoJSON to Shapely, split at the antimeridian; refused with a reason.

An edge of more than 180 degrees of longitude is taken the short way round, over the antimeridian (RFC 7946, 3.1.9
asks writers to cut there; drawings on maps do not). Coordinates are degrees, longitude first; edges are straight in
longitude and latitude, as map applications draw them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from skywatch.sentences import Sentence, sentence

# Imported with the first geometry: processes without geofences and airspaces need none of it.
if TYPE_CHECKING:
    from shapely.geometry import Polygon
    from shapely.geometry.base import BaseGeometry

MAX_VERTICES = 10_000
MAX_POLYGONS = 100
# Positions of one import: of ten geofences as large as they may be, or of two hundred with 500 each.
MAX_POSITIONS = 100_000
# Shapes of nature and of airspaces have less than 5; a comb of 10,000 long teeth has thousands.
MAX_OVERLAP = 200.0
# A polygon narrower than this counts as a line (degrees, about 0.1 m).
MIN_WIDTH = 1e-6
# Loops that come of rounding are smaller than this share of the polygon.
MAX_LOOPS = 0.01
Ring = list[tuple[float, float]]
T = TypeVar("T")


class GeometryFault(ValueError):
    """A geometry that cannot be used; ``str()`` is the reason."""


def parse_geometry(document: Any) -> BaseGeometry:
    """A GeoJSON Polygon or MultiPolygon as a valid Shapely geometry within [-180, 180]; raises GeometryFault."""
    from shapely.geometry import MultiPolygon
    from shapely.validation import explain_validity

    kind, polygons = _polygons_of(document)
    if not polygons:
        raise GeometryFault(sentence("area.no_polygon", "a {kind} needs at least one polygon", kind=kind))
    if len(polygons) > MAX_POLYGONS:
        raise GeometryFault(
            sentence(
                "area.polygons",
                "has {count} polygons; at most {most} are allowed",
                count=len(polygons),
                most=MAX_POLYGONS,
            )
        )
    if positions_in(document) > MAX_VERTICES:
        raise GeometryFault(sentence("area.vertices", "has more than {most} vertices", most=MAX_VERTICES))
    prefixes = [f"polygon {number}: " if kind == "MultiPolygon" else "" for number in range(1, len(polygons) + 1)]
    rings = [_at(prefix, _rings, part) for prefix, part in zip(prefixes, polygons, strict=True)]
    if _overlap([ring for part in rings for ring in part]) > MAX_OVERLAP:
        raise GeometryFault(sentence("area.long_edges", "has too many long edges close to each other"))
    parts = [_at(prefix, _polygon, part) for prefix, part in zip(prefixes, rings, strict=True)]
    geometry = parts[0] if len(parts) == 1 else MultiPolygon(parts)
    if not geometry.is_valid:
        raise GeometryFault(
            sentence(
                "area.overlap",
                "its polygons overlap or touch along a line ({reason})",
                reason=explain_validity(geometry),
            )
        )
    return _split(geometry)


def without_crossings(document: Any) -> dict[str, Any] | None:
    """A Polygon that crosses itself by rounding, such as where an arc meets a corner, without the loops.

    None where it is no such polygon, or the loops are more than ``MAX_LOOPS`` of it.
    """
    from shapely import get_parts, make_valid
    from shapely.geometry import Polygon

    try:
        (ring,) = _rings(document["coordinates"])
    except (GeometryFault, ValueError, KeyError, TypeError):
        return None
    if document.get("type") != "Polygon" or len(ring) > MAX_VERTICES or _overlap([ring]) > MAX_OVERLAP:
        return None
    parts = [part for part in get_parts(make_valid(Polygon(ring))) if part.geom_type in ("Polygon", "MultiPolygon")]
    pieces = [piece for part in parts for piece in get_parts(part)]
    largest = max(pieces, key=lambda piece: float(piece.area), default=None)
    if largest is None or largest.interiors or largest.area < (1 - MAX_LOOPS) * sum(piece.area for piece in pieces):
        return None
    return {
        "type": "Polygon",
        "coordinates": [[[round(lon, 6), round(lat, 6)] for lon, lat in largest.exterior.coords]],
    }


def _at(prefix: str, read: Callable[[Any], T], part: Any) -> T:
    """What a function makes of one polygon, whose prefix begins the reason where it cannot."""
    try:
        return read(part)
    except GeometryFault as fault:
        raise GeometryFault(f"{prefix}{fault}") from None


def positions_in(document: Any) -> int:
    """The number of positions in a geometry, counted without looking at any; 0 where it is none."""
    coordinates = document.get("coordinates") if isinstance(document, dict) else None
    if not isinstance(coordinates, list):
        return 0
    polygons = [coordinates] if document.get("type") == "Polygon" else coordinates
    rings = [ring for polygon in polygons if isinstance(polygon, list) for ring in polygon]
    return sum(len(ring) for ring in rings if isinstance(ring, list))


def prepared(geometry: BaseGeometry) -> BaseGeometry:
    """The geometry, prepared by Shapely for many point tests."""
    import shapely

    shapely.prepare(geometry)
    return geometry


def _polygons_of(document: Any) -> tuple[str, Sequence[Any]]:
    if not isinstance(document, dict):
        raise GeometryFault(sentence("area.kind", "must be a GeoJSON Polygon or MultiPolygon"))
    kind = document.get("type")
    if kind not in ("Polygon", "MultiPolygon"):
        raise GeometryFault(sentence("area.kind", "must be a GeoJSON Polygon or MultiPolygon"))
    unknown = [str(key)[:40] for key in document if key not in ("type", "coordinates", "bbox")]
    if unknown:
        raise GeometryFault(sentence("area.unknown_members", "has unknown members: {names}", names=", ".join(unknown)))
    coordinates = _list(document.get("coordinates"), sentence("area.its_coordinates", "its coordinates"))
    return kind, [coordinates] if kind == "Polygon" else coordinates


def _list(value: Any, noun: Sentence) -> list[Any]:
    if not isinstance(value, list):
        raise GeometryFault(sentence("area.must_be_list", "{noun} must be a list", noun=noun))
    return value


def _rings(rings: Any) -> list[Ring]:
    return [_ring(ring, number) for number, ring in enumerate(_list(rings, sentence("area.its_rings", "its rings")))]


def _ring(points: Any, number: int) -> Ring:
    """The positions of a ring without the one that closes it, its longitudes continuous over the antimeridian."""
    noun = (
        sentence("area.outer_ring", "the outer ring")
        if number == 0
        else sentence("area.hole", "hole {number}", number=number)
    )
    positions = [_position(point, noun) for point in _list(points, noun)]
    if len(positions) < 4:
        raise GeometryFault(
            sentence("area.four_positions", "{noun} needs four positions, the last equal to the first", noun=noun)
        )
    if positions[0] != positions[-1]:
        raise GeometryFault(
            sentence("area.not_closed", "{noun} is not closed: its last position must equal its first", noun=noun)
        )
    ring = [positions[0]]
    before = positions[0][0]
    for lon, lat in positions[1:]:
        if not -180.0 <= lon - before <= 180.0:
            lon += 360.0 * round((before - lon) / 360.0)
        ring.append((lon, lat))
        before = lon
    if abs(ring[-1][0] - ring[0][0]) > 1.0:
        raise GeometryFault(sentence("area.pole", "{noun} goes around a pole", noun=noun))
    return ring


def _position(point: Any, noun: Sentence) -> tuple[float, float]:
    if not isinstance(point, list) or not 2 <= len(point) <= 3:
        raise GeometryFault(
            sentence("area.position", "{noun} has a position that is not [longitude, latitude]", noun=noun)
        )
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in point):
        raise GeometryFault(sentence("area.numbers", "{noun} has a position that is not made of numbers", noun=noun))
    lon, lat = point[0], point[1]
    if not -180 <= lon <= 180 or not -90 <= lat <= 90:
        raise GeometryFault(
            sentence("area.outside", "{noun} has a position outside of -180 to 180 and -90 to 90 degrees", noun=noun)
        )
    return float(lon), float(lat)


def _overlap(rings: list[Ring]) -> float:
    """How many edges lie over each point of their common rectangle, each edge taken as its own rectangle.

    Checking a shape compares the edges whose rectangles meet: with long edges side by side that is each with each.
    """
    sums, corners = 0.0, []
    for ring in rings:
        positions = np.array(ring)
        edges = np.abs(np.diff(positions, axis=0))
        sums += float((edges[:, 0] * edges[:, 1]).sum())
        corners += [positions.min(axis=0), positions.max(axis=0)]
    width, height = np.ptp(corners, axis=0) if corners else (0.0, 0.0)
    return sums / max(float(width * height), MIN_WIDTH**2)


def _polygon(rings: list[Ring]) -> Polygon:
    from shapely.geometry import Polygon

    if not rings:
        raise GeometryFault(sentence("area.no_outer_ring", "a polygon needs an outer ring"))
    outer = rings[0]
    west, east = min(lon for lon, _ in outer), max(lon for lon, _ in outer)
    if east - west > 180.0:
        raise GeometryFault(
            sentence("area.hemisphere", "exceeds a hemisphere: it is wider than 180 degrees of longitude")
        )
    if len(set(outer)) < 3:
        raise GeometryFault(sentence("area.few_positions", "the outer ring has fewer than three different positions"))
    shell = Polygon(outer)
    if shell.area < MIN_WIDTH * max(shell.length, MIN_WIDTH) and _is_line(outer):
        raise GeometryFault(sentence("area.on_a_line", "all positions of the outer ring are on a line"))
    holes = [_on_same_side(ring, (west + east) / 2) for ring in rings[1:]]
    polygon = Polygon(outer, holes)
    if not polygon.is_valid:
        raise GeometryFault(_fault_of(polygon))
    return polygon


def _on_same_side(ring: Ring, middle: float) -> Ring:
    """A hole on the same side of the antimeridian as its outer ring."""
    centre = sum(lon for lon, _ in ring) / len(ring)
    shift = 360.0 * round((middle - centre) / 360.0)
    return [(lon + shift, lat) for lon, lat in ring]


def _is_line(ring: Ring) -> bool:
    from shapely.geometry import Polygon

    hull = Polygon(ring).convex_hull
    result: bool = hull.geom_type != "Polygon" or hull.area < MIN_WIDTH * hull.length
    return result


def _fault_of(polygon: Polygon) -> str:
    from shapely.validation import explain_validity

    reason = explain_validity(polygon)
    words, _, coordinates = reason.partition("[")
    words = words.strip()
    phrases = {
        "Self-intersection": sentence("area.crosses_itself", "crosses itself"),
        "Ring Self-intersection": sentence("area.touches_itself", "touches itself"),
        "Hole lies outside shell": sentence("area.hole_outside", "has a hole outside of its outer ring"),
        "Holes are nested": sentence("area.nested_holes", "has a hole within a hole"),
        "Interior is disconnected": sentence("area.cut_in_two", "is cut in two by its holes"),
        "Too few points in geometry component": sentence("area.few_points", "has a ring with too few positions"),
    }
    phrase: str = phrases.get(words, words)
    at = coordinates.rstrip("]").split()
    if len(at) != 2:
        return phrase
    return sentence(
        "area.at",
        "{phrase} at longitude {lon}, latitude {lat}",
        phrase=phrase,
        lon=f"{float(at[0]):.4f}",
        lat=f"{float(at[1]):.4f}",
    )


def _split(geometry: BaseGeometry) -> BaseGeometry:
    """The geometry cut at the antimeridian, every part within [-180, 180]."""
    west, _, east, _ = geometry.bounds
    if west >= -180.0 and east <= 180.0:
        return geometry
    import shapely
    from shapely.geometry import MultiPolygon

    parts: list[Polygon] = []
    for world in range(math.floor((west + 180.0) / 360.0), math.floor((east + 180.0) / 360.0) + 1):
        box = shapely.box(-180.0 + 360.0 * world, -90.0, 180.0 + 360.0 * world, 90.0)
        piece = shapely.transform(geometry.intersection(box), lambda at, shift=360.0 * world: at - (shift, 0.0))
        parts += [part for part in shapely.get_parts(piece) if part.geom_type == "Polygon" and not part.is_empty]
    return parts[0] if len(parts) == 1 else MultiPolygon(parts)


def shifted(geometry: BaseGeometry, margin_nm: float) -> BaseGeometry:
    """The geometry grown (or, with a negative margin, shrunk) by about so many nm, for hysteresis at its boundary."""
    import shapely

    _, south, _, north = geometry.bounds
    scale = max(math.cos(math.radians((south + north) / 2)), 0.05)
    squeezed = shapely.transform(geometry, lambda at: at * (scale, 1.0))
    moved = squeezed.buffer(margin_nm / 60.0, quad_segs=4)
    return shapely.transform(moved, lambda at: at / (scale, 1.0))
