"""An area on the ground, and where segments of tracks are within it and below a height.

Edges are straight in longitude and latitude, as everywhere in geofences; so are tracks between two positions, and
heights change evenly. Longitudes are relative to the area's middle, so that the date line is no special case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skywatch.core import geo
from skywatch.core.polygons.geometry import MIN_WIDTH, parse_geometry

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

Column = np.ndarray[Any, Any]
Box = tuple[float, float, float, float]
# Crossings of segments and edges that are looked for at once: tens of megabytes.
_AT_ONCE = 1_000_000


def relative(lon: Any, middle: float) -> Any:
    """Longitudes as degrees east of a meridian, from -180 on."""
    return (np.asarray(lon) - middle + 180.0) % 360.0 - 180.0


@dataclass(frozen=True)
class Area:
    """Edges f8[n, 4] (x, y, x, y; degrees east of ``lon``, degrees north), and their middle; ``geometry`` GeoJSON."""

    edges: Column
    lat: float
    lon: float
    geometry: dict[str, Any]

    @property
    def box(self) -> Box:
        """West, south, east and north."""
        x, y = self.edges[:, 0::2], self.edges[:, 1::2]
        if x.max() - x.min() >= 360.0:
            return -180.0, float(y.min()), 180.0, float(y.max())
        west, east = ((self.lon + float(value) + 180.0) % 360.0 - 180.0 for value in (x.min(), x.max()))
        return west, float(y.min()), east, float(y.max())

    def contains(self, x: Column, y: Column) -> Column:
        """Whether points (relative) lie within, by the number of edges east of them."""
        x1, y1, x2, y2 = self.edges.T
        inside = np.zeros(len(x), bool)
        step = max(1, _AT_ONCE // len(self.edges))
        for begin in range(0, len(x), step):
            px, py = x[begin : begin + step, None], y[begin : begin + step, None]
            spans = (y1 > py) != (y2 > py)
            with np.errstate(divide="ignore", invalid="ignore"):
                is_east = px < x1 + (py - y1) * (x2 - x1) / (y2 - y1)
            inside[begin : begin + step] = (spans & is_east).sum(axis=1) % 2 == 1
        return inside


def area_of_box(box: Box) -> Area:
    """A box (west, south, east, north); west > east crosses the date line, from -180 to 180 is all around.

    Raises ValueError for one that is less than ``MIN_WIDTH`` wide or high.
    """
    west, south, east, north = box
    width = 360.0 if east - west == 360.0 else (east - west) % 360.0
    if width < MIN_WIDTH or north - south < MIN_WIDTH:
        raise ValueError("the box is too thin")
    half, middle = width / 2, (west + width / 2 + 180.0) % 360.0 - 180.0
    # Of two ways around the shorter one is meant: long edges are made of three.
    shares = np.linspace(-1.0, 1.0, 4 if width > 120.0 else 2)
    along = [(half * share, south) for share in shares.tolist()]
    back = [(x, north) for x, _ in reversed(along)]
    ring = np.array([*along, *back, along[0]])
    corners = [
        [round((lon + 180.0) % 360.0 - 180.0 if abs(lon) > 180 else lon, 9), y]
        for lon, y in np.add(ring, (middle, 0.0)).tolist()
    ]
    return Area(_edges([ring]), (south + north) / 2, middle, {"type": "Polygon", "coordinates": [corners]})


def area_of_geometry(document: dict[str, Any]) -> Area:
    """The area of a GeoJSON Polygon or MultiPolygon; its middle is its centre of gravity."""
    import shapely

    geometry: BaseGeometry = parse_geometry(document)
    anchor = float(shapely.get_coordinates(geometry)[0, 0])

    def moved(at: Column) -> Column:
        return np.stack((relative(at[:, 0], anchor), at[:, 1]), axis=1)

    centre = shapely.transform(geometry, moved).centroid
    rings = [ring for part in shapely.get_parts(geometry) for ring in (part.exterior, *part.interiors)]
    middle = (anchor + centre.x + 180.0) % 360.0 - 180.0
    columns = [shapely.get_coordinates(ring) for ring in rings]
    placed = [np.stack((relative(at[:, 0], anchor) - centre.x, at[:, 1]), axis=1) for at in columns]
    return Area(_edges(placed), float(centre.y), float(middle), document)


def rings_of(document: dict[str, Any], middle: float) -> list[Column]:
    """The rings of a GeoJSON Polygon or MultiPolygon: x and y as in edges, each edge the shorter way around."""
    polygons = document["coordinates"] if document["type"] == "MultiPolygon" else [document["coordinates"]]
    rings = []
    for ring in (np.array(ring, float) for polygon in polygons for ring in polygon):
        turns = relative(np.diff(ring[:, 0]), 0.0)
        x = relative(ring[0, 0], middle) + np.append(0.0, np.cumsum(turns))
        rings.append(np.stack((x, ring[:, 1]), axis=1))
    return rings


def _edges(rings: list[Column]) -> Column:
    return np.concatenate([np.hstack((ring[:-1], ring[1:])) for ring in rings])


class Segments(NamedTuple):
    """Parts of tracks between two positions: columns of times (unix s), places (degrees) and heights (ft)."""

    aircraft: Column
    flight: Column
    at: Column
    lat: Column
    lon: Column
    height: Column
    next_at: Column
    next_lat: Column
    next_lon: Column
    next_height: Column

    def where(self, chosen: Column) -> Segments:
        """Those that are chosen."""
        return Segments(*(column[chosen] for column in self))


class Crossings(NamedTuple):
    """Where segments are within the area and below the height: from, to (unix s), lowest height, nearest distance."""

    segment: Column
    entered_at: Column
    left_at: Column
    lowest_ft: Column
    closest_nm: Column


def crossings(segments: Segments, area: Area, below_ft: float) -> Crossings:
    """Where segments are within an area and below a height, a row each stretch of one."""
    x, y = relative(segments.lon, area.lon), segments.lat
    dx = relative(segments.next_lon - segments.lon, 0.0)
    dy = segments.next_lat - y
    ex, ey = area.edges[:, 0::2], area.edges[:, 1::2]
    with np.errstate(invalid="ignore"):
        near = (np.minimum(x, x + dx) <= ex.max()) & (np.maximum(x, x + dx) >= ex.min())
        near &= (np.minimum(y, y + dy) <= ey.max()) & (np.maximum(y, y + dy) >= ey.min())
        near &= np.fmin(segments.height, segments.next_height) < below_ft
    rows = np.flatnonzero(near)
    parts = []
    step = max(1, _AT_ONCE // len(area.edges))
    for begin in range(0, len(rows), step):
        some = rows[begin : begin + step]
        parts.append(_crossings(segments.where(some), some, area, below_ft, x[some], y[some], dx[some], dy[some]))
    if not parts:
        return Crossings(*(np.empty(0, "i8"), *(np.empty(0) for _ in range(4))))
    return Crossings(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _crossings(
    segments: Segments, rows: Column, area: Area, below_ft: float, x: Column, y: Column, dx: Column, dy: Column
) -> Crossings:
    cuts = _cuts(area.edges, x, y, dx, dy)
    bounds = np.hstack((np.zeros((len(x), 1)), cuts, np.ones((len(x), 1))))
    low, high = _below(segments.height, segments.next_height, below_ft)
    begins, ends = np.maximum(bounds[:, :-1], low[:, None]), np.minimum(bounds[:, 1:], high[:, None])
    is_inside = area.contains(x, y)[:, None] ^ (np.arange(bounds.shape[1] - 1) % 2 == 1)
    # A position that only touches has no length, and counts where the segment has none.
    has_length = (bounds[:, 1:] > bounds[:, :-1]) | ((dx == 0) & (dy == 0))[:, None] & (bounds[:, :-1] == 0)
    index, stretch = np.nonzero(is_inside & (begins <= ends) & has_length)
    begin, end = begins[index, stretch], ends[index, stretch]
    seconds = (segments.next_at - segments.at)[index]
    height = segments.height[index]
    climb = segments.next_height[index] - height
    # Nearest to the middle on a plane, the distance there on the sphere.
    east = np.cos(np.radians(area.lat))
    vx, vy = dx[index] * east, dy[index]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (-x[index] * east * vx + (area.lat - y[index]) * vy) / (vx * vx + vy * vy)
    share = np.clip(np.nan_to_num(share), begin, end)
    closest = geo.distance_nm(area.lat, 0.0, y[index] + share * dy[index], x[index] + share * dx[index])
    return Crossings(
        rows[index],
        segments.at[index] + begin * seconds,
        segments.at[index] + end * seconds,
        height + np.minimum(begin * climb, end * climb),
        closest,
    )


def _cuts(edges: Column, x: Column, y: Column, dx: Column, dy: Column) -> Column:
    """The shares of segments at which they cross edges, in order; 1 where there are no more."""
    x1, y1, x2, y2 = edges.T
    ux, uy = x2 - x1, y2 - y1
    # An edge belongs to the half-open side of the segment's line, as in ``contains``: a corner is crossed once.
    before = dx[:, None] * (y1 - y[:, None]) - dy[:, None] * (x1 - x[:, None]) > 0
    after = dx[:, None] * (y2 - y[:, None]) - dy[:, None] * (x2 - x[:, None]) > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        share = ((x1 - x[:, None]) * uy - (y1 - y[:, None]) * ux) / (dx[:, None] * uy - dy[:, None] * ux)
        share = np.where((before != after) & (share > 0.0) & (share < 1.0), share, 1.0)
    share.sort(axis=1)
    most = int((share < 1.0).sum(axis=1).max(initial=0))
    return share[:, :most]


def _below(height: Column, next_height: Column, below_ft: float) -> tuple[Column, Column]:
    """The shares of segments from and to which they are below a height."""
    with np.errstate(divide="ignore", invalid="ignore"):
        meets = np.clip((below_ft - height) / (next_height - height), 0.0, 1.0)
    starts, ends = height < below_ft, next_height < below_ft
    return np.where(starts, 0.0, np.where(ends, meets, 1.0)), np.where(ends, 1.0, np.where(starts, meets, 0.0))
