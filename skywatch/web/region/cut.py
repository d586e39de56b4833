"""Which parts of an archive of the world make the map of a region, and how that map begins.

PMTiles version 3: a header, directories of tiles by their place on a Hilbert curve, the tiles. The directories that
name tiles of the region are read, and nothing of the tiles.
"""

from __future__ import annotations

import math
import time
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from pmtiles.tile import (
    Compression,
    Entry,
    HeaderDict,
    MagicNumberNotFound,
    SpecVersionUnsupported,
    deserialize_header,
    serialize_header,
    zxy_to_tileid,
)
from pmtiles.writer import optimize_directories

from skywatch.core.geo import distance_nm
from skywatch.sentences import sentence
from skywatch.web.region.errors import RegionFailed

Read = Callable[[int, int], bytes]
HEADER_BYTES = 127
# The root directory lies within the first so many bytes (PMTiles 3, section 3).
BEGIN_BYTES = 16_384
# What a source may make of this service's memory and disk.
MOST_TILES = 500_000
MOST_BYTES = 4_000_000_000
MOST_DIRECTORY_BYTES = 1_000_000
MOST_UNPACKED_BYTES = 2_000_000
MOST_DIRECTORIES = 400
MOST_METADATA_BYTES = 1_000_000
# What reading how large a map is may take at most.
MOST_MEASURED_BYTES = 64_000_000
MOST_MEASURED_S = 600.0
# Numbers of the format end before.
MOST_NUMBER = 2**63
# The most that is read at once, and the gap between two tiles that is read in order to read both at once (bytes).
PIECE_BYTES = 2_000_000
GAP_BYTES = 32_000
# Mercator's maps end here (degrees).
MOST_LATITUDE = 85.0511
NM_A_DEGREE = 60.04
# Directories below directories: the format knows one level, some writers make two.
MOST_LEVELS = 3


@dataclass(frozen=True)
class Region:
    """A circle around a place (degrees, nm), down to a zoom."""

    latitude: float
    longitude: float
    radius_nm: float
    max_zoom: int


@dataclass(frozen=True)
class Piece:
    """Bytes of the source that are read at once, and what of them is kept: begin and end within the piece."""

    offset: int
    length: int
    kept: tuple[tuple[int, int], ...]

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return sum(end - begin for begin, end in self.kept)


@dataclass(frozen=True)
class Cut:
    """A map of a region: what its file begins with, and the pieces of the source that follow, in their order."""

    head: bytes
    pieces: tuple[Piece, ...]
    tiles: int

    @property
    def size(self) -> int:
        """The bytes of the whole file."""
        return len(self.head) + sum(piece.size for piece in self.pieces)


def plan_cut(read: Read, region: Region) -> Cut:
    """Read the directories; raises RegionFailed where there is no such map, or none that is small enough."""
    read = _Budget(read)
    begin = read(0, HEADER_BYTES)
    try:
        header = deserialize_header(begin)
    except (MagicNumberNotFound, SpecVersionUnsupported, ValueError, IndexError):
        raise _unreadable() from None
    if header["internal_compression"] != Compression.GZIP:
        raise _unreadable()
    wanted = tiles_within(region, header["min_zoom"], min(region.max_zoom, header["max_zoom"]))
    entries = _Directories(read, header, wanted).find()
    if not entries:
        raise RegionFailed(sentence("region.no_tiles", "The source has no map of this region."))
    if not 0 < header["metadata_length"] <= MOST_METADATA_BYTES:
        raise _unreadable()
    metadata = read(header["metadata_offset"], header["metadata_length"])
    parts = sorted({(entry.offset, entry.length) for entry in entries})
    pieces = tuple(_pieces(parts, header["tile_data_offset"]))
    cut = Cut(_head(header, region, entries, parts, metadata), pieces, sum(entry.run_length for entry in entries))
    if cut.size > MOST_BYTES:
        raise RegionFailed(
            sentence(
                "region.too_large",
                "This map has {size:.1f} GB, and at most {most:.0f} GB are fetched. Choose a smaller radius.",
                size=cut.size / 1e9,
                most=MOST_BYTES / 1e9,
            )
        )
    return cut


def tiles_within(region: Region, min_zoom: int, max_zoom: int) -> list[int]:
    """The numbers of the tiles that lie in the region at least in part, ascending; raises RegionFailed for too many."""
    found: list[int] = []
    for zoom in range(min_zoom, max_zoom + 1):
        columns, rows = _tiles(region, zoom)
        if len(found) + len(columns) > MOST_TILES:
            raise RegionFailed(
                sentence("region.too_many", "This map has too many tiles. Choose a smaller radius or fewer details.")
            )
        found += [zxy_to_tileid(zoom, x, y) for x, y in zip(columns.tolist(), rows.tolist(), strict=True)]
    return sorted(found)


def _tiles(region: Region, zoom: int) -> tuple[np.ndarray, np.ndarray]:
    """The columns and rows (i8 each) of the tiles of a zoom that lie in the circle at least in part."""
    count = 1 << zoom
    reach = region.radius_nm / NM_A_DEGREE
    south, north = (max(-MOST_LATITUDE, min(MOST_LATITUDE, region.latitude + side * reach)) for side in (-1, 1))
    widest = math.cos(math.radians(min(89.0, abs(region.latitude) + reach)))
    half = min(180.0, reach / widest)
    first, last = (math.floor((region.longitude + side * half + 180) / 360 * count) for side in (-1, 1))
    columns = np.arange(first, min(last, first + count - 1) + 1)
    rows = np.arange(_row(north, count), _row(south, count) + 1)
    x, y = (axis.ravel() for axis in np.meshgrid(columns, rows))
    # The point of each tile that is nearest to the middle of the circle.
    longitudes = np.clip(region.longitude, x / count * 360 - 180, (x + 1) / count * 360 - 180)
    latitudes = np.clip(region.latitude, _latitude(y + 1, count), _latitude(y, count))
    near = distance_nm(region.latitude, region.longitude, latitudes, longitudes) <= region.radius_nm
    tiles = np.unique(np.stack([x[near] % count, y[near]]), axis=1)
    return tiles[0], tiles[1]


def _row(latitude: float, count: int) -> int:
    phi = math.radians(latitude)
    return min(count - 1, max(0, math.floor((1 - math.asinh(math.tan(phi)) / math.pi) / 2 * count)))


def _latitude(row: np.ndarray, count: int) -> np.ndarray:
    return np.degrees(np.arctan(np.sinh(np.pi * (1 - 2 * row / count))))


class _Budget:
    """Reads until it becomes too much, or takes too long."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._left = MOST_MEASURED_BYTES
        self._ends_at = time.monotonic() + MOST_MEASURED_S

    def __call__(self, offset: int, length: int) -> bytes:
        self._left -= length
        if self._left < 0 or time.monotonic() > self._ends_at:
            raise RegionFailed(
                sentence("region.too_long", "Reading how large this map is takes too long. Choose a smaller radius.")
            )
        return self._read(offset, length)


class _Directories:
    """Finds the entries of the wanted tiles, ascending."""

    def __init__(self, read: Read, header: HeaderDict, wanted: list[int]) -> None:
        self._read = read
        self._leaves = header["leaf_directory_offset"]
        self._root = header["root_offset"], header["root_length"]
        self._wanted = wanted
        self._count = 0

    def find(self) -> list[Entry]:
        offset, length = self._root
        if offset + length > BEGIN_BYTES:
            raise _unreadable()
        return list(self._below(self._directory(offset, length), 0, MOST_NUMBER, 0))

    def _below(self, directory: list[Entry], begin: int, end: int, level: int) -> Iterator[Entry]:
        """The entries of tiles below a directory, whose tiles are from a number on and end before another.

        No entry reaches into the next one, so that they ascend and there are no more of them than wanted tiles.
        """
        if directory and directory[0].tile_id < begin:
            raise _unreadable()
        for entry, following in zip(directory, [*(e.tile_id for e in directory[1:]), end], strict=True):
            last = entry.tile_id + entry.run_length if entry.run_length else following
            first = bisect_left(self._wanted, entry.tile_id)
            if not entry.tile_id < last <= following:
                raise _unreadable()
            tiles = self._wanted[first : bisect_left(self._wanted, last, lo=first)]
            if not tiles:
                continue
            if entry.run_length:
                yield from _runs(entry, tiles)
            elif level >= MOST_LEVELS:
                raise _unreadable()
            else:
                leaf = self._directory(self._leaves + entry.offset, entry.length)
                yield from self._below(leaf, entry.tile_id, last, level + 1)

    def _directory(self, offset: int, length: int) -> list[Entry]:
        self._count += 1
        if not 0 < length <= MOST_DIRECTORY_BYTES or self._count > MOST_DIRECTORIES:
            raise _unreadable()
        packed = self._read(offset, length)
        try:
            unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
            unpacked = unpacking.decompress(packed, MOST_UNPACKED_BYTES)
        except zlib.error:
            raise _unreadable() from None
        if not unpacking.eof or unpacking.unused_data:
            raise _unreadable()
        return _entries(unpacked)


def _entries(directory: bytes) -> list[Entry]:
    """The entries of an unpacked directory (PMTiles 3, section 4.2), whose tiles ascend."""
    numbers = _numbers(directory)
    count = next(numbers, 0)
    if count > len(directory) // 4:
        raise _unreadable()
    rest = list(numbers)
    if len(rest) != 4 * count:
        raise _unreadable()
    ids = list(accumulate(rest[:count]))
    runs, lengths, places = (rest[count * column : count * (column + 1)] for column in (1, 2, 3))
    if any(before >= after for before, after in pairwise(ids)) or (ids and ids[-1] >= MOST_NUMBER):
        raise _unreadable()
    entries: list[Entry] = []
    for tile, run, length, place in zip(ids, runs, lengths, places, strict=True):
        # 0: where the entry before ends.
        if place == 0 and not entries:
            raise _unreadable()
        offset = place - 1 if place else entries[-1].offset + entries[-1].length
        entries.append(Entry(tile, offset, length, run))
    return entries


def _numbers(content: bytes) -> Iterator[int]:
    """The variable-length numbers of a content: seven bits of each byte, the lowest first."""
    value = shift = 0
    for byte in content:
        value |= (byte & 0x7F) << shift
        shift += 7
        if value >= MOST_NUMBER or shift > 70:
            raise _unreadable()
        if byte < 0x80:
            yield value
            value = shift = 0


def _runs(entry: Entry, tiles: list[int]) -> Iterator[Entry]:
    """The runs of tiles that follow each other, which all have the content of one entry."""
    begin = previous = tiles[0]
    for tile in [*tiles[1:], None]:
        if tile != previous + 1:
            yield Entry(begin, entry.offset, entry.length, previous - begin + 1)
            begin = tile if tile is not None else begin
        previous = tile if tile is not None else previous


def _pieces(parts: list[tuple[int, int]], base: int) -> Iterator[Piece]:
    """What is read at once: parts (offset from ``base``, length; ascending) that are near each other."""
    group: list[tuple[int, int]] = []
    end = 0
    for offset, length in parts:
        if not 0 < length <= PIECE_BYTES:
            raise _unreadable()
        if group and (offset > end + GAP_BYTES or max(end, offset + length) - group[0][0] > PIECE_BYTES):
            yield _piece(group, end, base)
            group, end = [], 0
        group.append((offset, length))
        end = max(end, offset + length)
    yield _piece(group, end, base)


def _piece(parts: list[tuple[int, int]], end: int, base: int) -> Piece:
    begin = parts[0][0]
    kept = tuple((offset - begin, offset - begin + length) for offset, length in parts)
    return Piece(base + begin, end - begin, kept)


def _head(
    header: HeaderDict, region: Region, entries: list[Entry], parts: list[tuple[int, int]], metadata: bytes
) -> bytes:
    """The header and the directories of the map of the region, with the source's own words about itself."""
    places: dict[tuple[int, int], int] = {}
    size = 0
    for part in parts:
        places[part] = size
        size += part[1]
    moved = [Entry(e.tile_id, places[e.offset, e.length], e.length, e.run_length) for e in entries]
    root, leaves, _ = optimize_directories(moved, BEGIN_BYTES - HEADER_BYTES)
    reach = region.radius_nm / NM_A_DEGREE
    width = min(180.0, reach / math.cos(math.radians(min(89.0, abs(region.latitude) + reach))))
    metadata_offset = HEADER_BYTES + len(root)
    leaf_offset = metadata_offset + len(metadata)
    made: HeaderDict = {
        **header,
        "root_offset": HEADER_BYTES,
        "root_length": len(root),
        "metadata_offset": metadata_offset,
        "metadata_length": len(metadata),
        "leaf_directory_offset": leaf_offset,
        "leaf_directory_length": len(leaves),
        "tile_data_offset": leaf_offset + len(leaves),
        "tile_data_length": size,
        "addressed_tiles_count": sum(entry.run_length for entry in moved),
        "tile_entries_count": len(moved),
        "tile_contents_count": len(parts),
        # A tile of the region may have the content of one outside, which lies before all others.
        "clustered": False,
        "max_zoom": min(region.max_zoom, header["max_zoom"]),
        "min_lon_e7": round(max(-180.0, region.longitude - width) * 1e7),
        "max_lon_e7": round(min(180.0, region.longitude + width) * 1e7),
        "min_lat_e7": round(max(-MOST_LATITUDE, region.latitude - reach) * 1e7),
        "max_lat_e7": round(min(MOST_LATITUDE, region.latitude + reach) * 1e7),
        "center_zoom": min(9, region.max_zoom, header["max_zoom"]),
        "center_lon_e7": round(region.longitude * 1e7),
        "center_lat_e7": round(region.latitude * 1e7),
    }
    return bytes(serialize_header(made) + root + metadata + leaves)


def _unreadable() -> RegionFailed:
    return RegionFailed(
        sentence("region.unreadable", "What is at the address is no PMTiles archive that is read here.")
    )
