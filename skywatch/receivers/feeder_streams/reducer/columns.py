"""``ReducedColumns``: the reports of a second as columns, and who heard what; the fields that they have."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

import numpy as np

from skywatch.receivers.framing.frames import ROW_BYTES, Column
from skywatch.receivers.mode_s.aircraft_table import NON_ICAO

# In the order of the columns of ``values``. Codes are those of ``mode_s.decoded.Decoded``.
FIELDS: tuple[str, ...] = (
    "lat", "lon", "alt_baro", "alt_geom", "gs", "track", "baro_rate", "geom_rate", "flight", "squawk", "emergency",
    "category", "nic", "rc", "ias", "tas", "mach", "roll", "track_rate", "mag_heading", "true_heading", "nav_qnh",
    "nav_altitude_mcp", "nav_altitude_fms", "nav_heading", "nav_modes", "version", "nic_baro", "nac_p", "nac_v", "sil",
    "sil_type", "gva", "sda", "alert", "spi", "wd", "ws", "oat", "tat",
)  # fmt: skip
FIELD = {name: place for place, name in enumerate(FIELDS)}
LAT, LON, ALT_BARO, GS = FIELD["lat"], FIELD["lon"], FIELD["alt_baro"], FIELD["gs"]
# A key of a report: address with bit 24 (not ICAO's), the source above it, the lane above 32 bits.
SOURCE_SHIFT, LANE_SHIFT = 25, 32
ADDRESS_BITS = (1 << SOURCE_SHIFT) - 1
# What strangers that are independent of each other sent alike, and what several of ours did; feeders' own lanes follow.
AGREED, OURS_AGREED = 0, 1
FIRST_LANE = 2


def number_of(address: str) -> int:
    """An address as the picture writes it (``4b1617``, ``~4b1617``) as a number with bit 24 (not ICAO's)."""
    return int(address[1:], 16) | NON_ICAO if address[0] == "~" else int(address, 16)


@lru_cache(maxsize=1 << 16)
def address_of(number: int) -> str:
    """The address of ``number_of``."""
    return f"~{number & 0xFFFFFF:06x}" if number & NON_ICAO else f"{number:06x}"


@dataclasses.dataclass(slots=True, eq=False)
class Heard:
    """Reception in one second: one entry for each feeder and aircraft.

    ``address`` i8 with bit 24 (not ICAO's), ``feeder`` i8 (a lane), ``rssi`` f4 (the strongest, dBFS; NaN: not
    measured), ``has_position`` ?: one of the frames gave a position.
    """

    address: Column
    feeder: Column
    rssi: Column
    has_position: Column

    @classmethod
    def nothing(cls) -> Heard:
        """An empty log."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.bool_))

    @classmethod
    def concatenate(cls, parts: list[Heard]) -> Heard:
        """The entries of several in their order."""
        return cls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in dataclasses.fields(cls)))


@dataclasses.dataclass(slots=True, eq=False)
class AloneFrames:
    """Frames that one feeder of a process sent and no other: ``key`` i8[n] of its report (see the shifts), ``time``
    f8[n] unix seconds, ``data`` u1[n, 16] and ``length`` u1[n] as in ``FrameBatch``."""

    key: Column
    time: Column
    data: Column
    length: Column

    def __len__(self) -> int:
        return len(self.key)

    @property
    def lane(self) -> Column:
        """The lane of each frame."""
        result: Column = self.key >> LANE_SHIFT
        return result

    def __getitem__(self, rows: Column) -> AloneFrames:
        """The frames of a mask or of indices."""
        return AloneFrames(self.key[rows], self.time[rows], self.data[rows], self.length[rows])

    @classmethod
    def concatenate(cls, parts: list[AloneFrames]) -> AloneFrames:
        """The frames of several in their order."""
        if not parts:
            return cls(np.empty(0, np.int64), np.empty(0), np.empty((0, ROW_BYTES), np.uint8), np.empty(0, np.uint8))
        return cls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in dataclasses.fields(cls)))


@dataclasses.dataclass(slots=True, eq=False)
class ReducedColumns:
    """*n* reports: ``key`` i8[n] (see the shifts), ``at`` and ``position_at`` f8[n] unix seconds (0: no position).

    ``messages`` i4[n] transmissions, each once; ``voices`` u1[n] independent feeders that agree; ``is_dissent`` ?[n]: a
    feeder alone contradicts what others agree on, or those that agree are divided; ``rssi`` f4[n]; ``values``
    f8[n, FIELDS], NaN for what was not sent; ``acas_ra`` i8[n] (0: none), of ``acas_ra_frames`` i4[n] frames.
    """

    key: Column
    at: Column
    position_at: Column
    messages: Column
    voices: Column
    is_dissent: Column
    rssi: Column
    values: Column
    acas_ra: Column
    acas_ra_frames: Column

    def __len__(self) -> int:
        return len(self.key)

    @property
    def lane(self) -> Column:
        """The lane of each report."""
        result: Column = self.key >> LANE_SHIFT
        return result

    @property
    def source(self) -> Column:
        """The source of each report, an index into SOURCES."""
        result: Column = (self.key >> SOURCE_SHIFT) & 0xF
        return result

    @property
    def address(self) -> Column:
        """The address of each report with bit 24 (not ICAO's)."""
        result: Column = self.key & ADDRESS_BITS
        return result

    def __getitem__(self, rows: Column) -> ReducedColumns:
        """The reports of a mask or of indices."""
        return ReducedColumns(*(getattr(self, field.name)[rows] for field in dataclasses.fields(self)))

    @classmethod
    def blank(cls, key: Column, at: Column) -> ReducedColumns:
        """Reports without any value."""
        count = len(key)
        return cls(
            key=key,
            at=at,
            position_at=np.zeros(count),
            messages=np.zeros(count, np.int32),
            voices=np.ones(count, np.uint8),
            is_dissent=np.zeros(count, np.bool_),
            rssi=np.full(count, np.nan, np.float32),
            values=np.full((count, len(FIELDS)), np.nan),
            acas_ra=np.zeros(count, np.int64),
            acas_ra_frames=np.zeros(count, np.int32),
        )

    @classmethod
    def concatenate(cls, parts: list[ReducedColumns]) -> ReducedColumns:
        """The reports of several in their order."""
        return cls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in dataclasses.fields(cls)))
