"""A row for each point: CSV and Parquet, with the same columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from skywatch.core.problems import Problem
from skywatch.history.storage.points import (
    ALTITUDE_FT,
    DEGREES,
    GAP,
    GROUND,
    NO_ALTITUDE,
    UNKNOWN,
    Points,
    join,
)
from skywatch.history.tracks import Track
from skywatch.http.lists.spreadsheets import harmless
from skywatch.sentences import sentence

COLUMNS = (
    "at",
    "icao_hex",
    "callsign",
    "registration",
    "aircraft_type",
    "lat",
    "lon",
    "altitude_ft",
    "speed_kt",
    "track_deg",
    "on_ground",
    "gap",
    "military",
    "flight_id",
    "simulated",
)
ROWS_A_BLOCK = 20_000
ROWS_A_GROUP = 25_000
# Parquet holds a page of each column, and a dictionary of each that has one, until the row group ends.
PAGE_BYTES = 65_536
# The columns whose values repeat; a dictionary of any other would be as large as the column.
_REPEATED = [
    "icao_hex", "callsign", "registration", "aircraft_type", "altitude_ft", "speed_kt", "track_deg", "flight_id",
]  # fmt: skip
_YES_NO = ("false", "true")


def csv(tracks: Iterable[Track]) -> Iterator[bytes]:
    """CSV (RFC 4180), UTF-8, with a header; empty where unknown."""
    yield (",".join(COLUMNS) + "\r\n").encode()
    for block in _blocks(tracks, ROWS_A_BLOCK):
        yield "".join([_csv_rows(track) for track in block]).encode()


def _csv_rows(track: Track) -> str:
    points, label = track.points, track.label
    head = ",".join(
        _cell(text)
        for text in (
            track.address.upper(),
            label.callsign if label else None,
            label.registration if label else None,
            label.aircraft_type if label else None,
        )
    )
    columns = _columns(points)
    times = np.datetime_as_string(columns["at"], unit="ms").tolist()
    end = f",{_YES_NO[track.military]},{int(points['flight'][0])},{_YES_NO[track.simulated]}\r\n"
    return "".join(
        [
            f"{at}Z,{head},{lat:.5f},{lon:.5f},{'' if no_alt else alt},{'' if gs == UNKNOWN else gs},"
            f"{'' if track_deg == UNKNOWN else track_deg},{_YES_NO[ground]},{_YES_NO[gap]}{end}"
            for at, lat, lon, alt, no_alt, gs, track_deg, ground, gap in zip(
                times,
                columns["lat"].tolist(),
                columns["lon"].tolist(),
                columns["alt"].tolist(),
                columns["no_alt"].tolist(),
                points["gs"].tolist(),
                points["track"].tolist(),
                columns["ground"].tolist(),
                columns["gap"].tolist(),
                strict=True,
            )
        ]
    )


def _cell(text: str | None) -> str:
    if not text:
        return ""
    text = harmless(text)
    if any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _columns(points: Points) -> dict[str, Any]:
    flags = points["flags"]
    return {
        "at": (points["at"] * 10).astype("datetime64[ms]"),
        "lat": points["lat"] * DEGREES,
        "lon": points["lon"] * DEGREES,
        "alt": (points["alt"] * int(ALTITUDE_FT)).astype("i4"),
        "no_alt": flags & NO_ALTITUDE > 0,
        "ground": flags & GROUND > 0,
        "gap": flags & GAP > 0,
    }


def _blocks(tracks: Iterable[Track], rows: int) -> Iterator[list[Track]]:
    block: list[Track] = []
    points_in_block = 0
    for track in tracks:
        block.append(track)
        points_in_block += len(track.points)
        if points_in_block >= rows:
            yield block
            block, points_in_block = [], 0
    if block:
        yield block


class _WriteBuffer:
    """A file object that buffers what is written until ``take``."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def write(self, data: Any) -> int:
        part = bytes(data)
        self._parts.append(part)
        self._size += len(part)
        return len(part)

    def tell(self) -> int:
        return self._size

    def take(self) -> bytes:
        data = b"".join(self._parts)
        self._parts.clear()
        return data

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False


def require_parquet() -> None:
    """Raise Problem where the extra is not installed."""
    # Arrow's own allocators retain some 25 MB for the next block; the system's returns them.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise Problem(
            "unavailable",
            sentence(
                "history.no_parquet", "Parquet is not available: this server was installed without the extra for it."
            ),
        ) from None


def parquet(tracks: Iterable[Track]) -> Iterator[bytes]:
    """Parquet with zstd, a row group for each 25,000 points or so."""
    require_parquet()
    import pyarrow as pa
    from pyarrow import parquet as pq

    text = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema(
        [
            pa.field("at", pa.timestamp("ms", tz="UTC"), nullable=False),
            pa.field("icao_hex", text, nullable=False),
            pa.field("callsign", text),
            pa.field("registration", text),
            pa.field("aircraft_type", text),
            pa.field("lat", pa.float64(), nullable=False),
            pa.field("lon", pa.float64(), nullable=False),
            pa.field("altitude_ft", pa.int32()),
            pa.field("speed_kt", pa.int16()),
            pa.field("track_deg", pa.int16()),
            pa.field("on_ground", pa.bool_(), nullable=False),
            pa.field("gap", pa.bool_(), nullable=False),
            pa.field("military", pa.bool_(), nullable=False),
            pa.field("flight_id", pa.int64(), nullable=False),
            pa.field("simulated", pa.bool_(), nullable=False),
        ]
    )
    pipe = _WriteBuffer()
    how = {
        "compression": "zstd",
        "use_dictionary": _REPEATED,
        "data_page_size": PAGE_BYTES,
        "dictionary_pagesize_limit": PAGE_BYTES,
    }
    with pq.ParquetWriter(pa.PythonFile(pipe, mode="w"), schema, **how) as writer:
        for block in _blocks(tracks, ROWS_A_GROUP):
            writer.write_table(_arrow_table(pa, schema, block))
            yield pipe.take()
    yield pipe.take()


def _arrow_table(pa: Any, schema: Any, tracks: list[Track]) -> Any:
    points = join([track.points for track in tracks])
    of_track = np.repeat(np.arange(len(tracks), dtype=np.int32), [len(track.points) for track in tracks])
    columns = _columns(points)

    def texts(values: list[str | None]) -> Any:
        words = sorted({value for value in values if value is not None})
        index = {word: number for number, word in enumerate(words)}
        numbers = np.array([index.get(value, -1) if value is not None else -1 for value in values], np.int32)
        rows = numbers[of_track]
        return pa.DictionaryArray.from_arrays(pa.array(rows, mask=rows < 0), pa.array(words, pa.string()))

    labels = [track.label for track in tracks]
    military = np.array([track.military for track in tracks])
    arrays = [
        pa.array(columns["at"], pa.timestamp("ms", tz="UTC")),
        texts([track.address.upper() for track in tracks]),
        texts([label.callsign if label else None for label in labels]),
        texts([label.registration if label else None for label in labels]),
        texts([label.aircraft_type if label else None for label in labels]),
        pa.array(columns["lat"].round(5)),
        pa.array(columns["lon"].round(5)),
        pa.array(columns["alt"], pa.int32(), mask=columns["no_alt"]),
        pa.array(points["gs"], pa.int16(), mask=points["gs"] == UNKNOWN),
        pa.array(points["track"], pa.int16(), mask=points["track"] == UNKNOWN),
        pa.array(columns["ground"]),
        pa.array(columns["gap"]),
        pa.array(military[of_track]),
        pa.array(points["flight"]),
        pa.array(np.array([track.simulated for track in tracks])[of_track]),
    ]
    return pa.Table.from_arrays(arrays, schema=schema)
