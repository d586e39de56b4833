"""Decodes binCraft: rows of fixed width in which readsb and tar1090 exchange a picture, plain or packed (gzip, zstd).

A row is 112 bytes, little endian, with a bit for each value that says whether it is valid; the first row is the head.
It has no list of the fields that MLAT or TIS-B brought, no resolution advisory, no owner and no year, and counts
messages in 16 bits; everything else is what aircraft.json says in the same second, in steps of its own (``ROW``).
"""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from io import BytesIO
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from msgspec import UNSET

from skywatch.core.arrays import Array
from skywatch.receivers.reports.aircraft_json import DocumentError
from skywatch.receivers.reports.limits import CATEGORIES, SQUAWKS, bounds_of, clean_callsign
from skywatch.receivers.reports.normalisation import positions
from skywatch.receivers.reports.report import EMERGENCIES, NAV_MODES
from skywatch.receivers.reports.report_columns import GROUND, NAN, NUMBERS, STEADY, DocumentColumns, listed, present

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# Ages of 32 bits (before, they had 16), and a signal in decibels; other versions are not read.
AGES_OF_32_BITS, SIGNAL_IN_DECIBELS = 20_240_218, 20_250_403
VERSIONS = (AGES_OF_32_BITS, SIGNAL_IN_DECIBELS)
WIDTH = 112
# Of eight bytes, in which rows are compared.
WORDS = WIDTH // 8
# A server that identifies feeders writes four bytes more.
WIDTHS = (WIDTH, 116)
# As long as a document of any form may be.
MAX_BODY = 64 * 1024 * 1024
_WIDTH_AT, _CHUNK, _LARGEST_WINDOW = 8, 1 << 18, 1 << 26
# Bits of the head: what stands as count of messages is a rate.
RATES = 1
HEAD = np.dtype([
    ("now_ms", "<u8"), ("width", "<u4"), ("with_position", "<u4"), ("index", "<u4"), ("box", "<i2", 4),
    ("messages", "<u4"), ("lat", "<i4"), ("lon", "<i4"), ("version", "<u4"), ("message_rate", "<u4"), ("marks", "<u4"),
])  # fmt: skip
# Names are those of reports where a field stands for one value.
ROW = np.dtype([
    ("address", "<u4"), ("seen", "<i4"), ("lon", "<i4"), ("lat", "<i4"), ("baro_rate", "<i2"), ("geom_rate", "<i2"),
    ("alt_baro", "<i2"), ("alt_geom", "<i2"), ("nav_altitude_mcp", "<u2"), ("nav_altitude_fms", "<u2"),
    ("nav_qnh", "<i2"), ("nav_heading", "<i2"), ("squawk", "<u2"), ("gs", "<i2"), ("mach", "<i2"), ("roll", "<i2"),
    ("track", "<i2"), ("track_rate", "<i2"), ("mag_heading", "<i2"), ("true_heading", "<i2"), ("wd", "<i2"),
    ("ws", "<i2"), ("oat", "<i2"), ("tat", "<i2"), ("tas", "<u2"), ("ias", "<u2"), ("rc", "<u2"), ("messages", "<u2"),
    ("category", "u1"), ("nic", "u1"), ("nav_modes", "u1"), ("type_emergency", "u1"), ("altitude_source_ground", "u1"),
    ("version_sil_type", "u1"), ("other_versions", "u1"), ("nac_v_nac_p", "u1"), ("sda_gva_sil", "u1"),
    ("valid", "u1", 5), ("flight", "S8"), ("dbFlags", "<u2"), ("t", "S4"), ("r", "S12"), ("receivers", "u1"),
    ("signal", "u1"), ("marks", "u1"), ("spare", "u1"), ("seen_pos", "<i4"),
])  # fmt: skip
NON_ICAO, LOW_24 = 1 << 24, 0xFFFFFF
# The first bits of ``valid`` are values themselves; the others say by their place which value is valid.
NIC_BARO, ALERT, SPI, CALLSIGN, ALT_BARO, ALT_GEOM, POSITION = range(7)
VALID_NIC_BARO, VALID_SPI, VALID_NAV_MODES, VALID_ALERT, VALID_SQUAWK, VALID_EMERGENCY = 20, 28, 34, 35, 26, 27
ON_GROUND = 1


class Scaled(NamedTuple):
    """A number: the place of its validity bit, and how many of its steps make one unit; its value is rounded."""

    bit: int
    steps: int
    digits: int


class Packed(NamedTuple):
    """A small number within a byte: the field of the byte, how far it is shifted, its mask, and its validity bit."""

    byte: str
    shift: int
    mask: int
    bit: int | None


ALTITUDE_STEP_FT, RATE_STEP_FPM, SELECTED_STEP_FT = 25, 8, 4
DEGREE_STEPS = 1_000_000
# Whole numbers: the place of the validity bit, and what a step is.
WHOLE = {
    "alt_geom": (ALT_GEOM, ALTITUDE_STEP_FT),
    "baro_rate": (16, RATE_STEP_FPM),
    "geom_rate": (17, RATE_STEP_FPM),
    "nav_altitude_mcp": (30, SELECTED_STEP_FT),
    "nav_altitude_fms": (31, SELECTED_STEP_FT),
}
SCALED = {
    "gs": Scaled(7, 10, 1),
    "ias": Scaled(8, 1, 0),
    "tas": Scaled(9, 1, 0),
    "mach": Scaled(10, 1000, 3),
    "track": Scaled(11, 90, 2),
    "track_rate": Scaled(12, 100, 2),
    "roll": Scaled(13, 100, 2),
    "mag_heading": Scaled(14, 90, 2),
    "true_heading": Scaled(15, 90, 2),
    "nav_qnh": Scaled(29, 10, 1),
    "nav_heading": Scaled(33, 90, 2),
    "wd": Scaled(36, 1, 0),
    "ws": Scaled(36, 1, 0),
    "oat": Scaled(37, 1, 0),
    "tat": Scaled(37, 1, 0),
    "lat": Scaled(POSITION, DEGREE_STEPS, 6),
    "lon": Scaled(POSITION, DEGREE_STEPS, 6),
    "seen_pos": Scaled(POSITION, 10, 1),
}
PACKED = {
    "nac_p": Packed("nac_v_nac_p", 0, 15, 21),
    "nac_v": Packed("nac_v_nac_p", 4, 15, 22),
    "sil": Packed("sda_gva_sil", 0, 3, 23),
    "gva": Packed("sda_gva_sil", 2, 3, 24),
    "sda": Packed("sda_gva_sil", 4, 3, 25),
    "nic": Packed("nic", 0, 255, POSITION),
}
# What stands for a source; those that are left out are unknown ones.
TYPES = (
    "adsb_icao", "adsb_icao_nt", "adsr_icao", "tisb_icao", "adsc", "mlat", "other", "mode_s", "adsb_other",
    "adsr_other", "tisb_trackfile", "tisb_other",
)  # fmt: skip
UNKNOWN_TYPE, NO_VERSION = 15, 15
SIL_TYPES = (UNSET, "unknown", "persample", "perhour")
_NAV_MODES = [[name for bit, name in enumerate(NAV_MODES) if modes >> bit & 1] for modes in range(256)]
# Half a step of the oldest signals: what the weakest one is, as readsb has it.
FAINTEST = 1.125e-5
_STEPS = np.arange(256) / 255.0
_SIGNALS = {
    AGES_OF_32_BITS: np.round(10 * np.log10(_STEPS**2 + FAINTEST), 1),
    SIGNAL_IN_DECIBELS: np.round(_STEPS * 50 - 50, 1),
}


class UnknownVersion(DocumentError):
    """binCraft of a version that is not read here."""


def is_bincraft(body: bytes) -> bool:
    """Whether an unpacked document is binCraft: no JSON has these bytes where the width stands."""
    return len(body) >= HEAD.itemsize and int.from_bytes(body[_WIDTH_AT : _WIDTH_AT + 4], "little") in WIDTHS


def unpacked(body: bytes) -> bytes:
    """A document as it is, or out of gzip or zstd; raises DocumentError where it is damaged or far too large."""
    if body.startswith(ZSTD):
        # Imported here: who reads JSON needs no memory for it.
        import zstandard

        try:
            return _read(zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).stream_reader(body).read)
        except zstandard.ZstdError:
            raise DocumentError("does not unpack") from None
    if body.startswith(GZIP):
        try:
            return _read(gzip.GzipFile(fileobj=BytesIO(body)).read)
        except (zlib.error, OSError, EOFError):
            raise DocumentError("does not unpack") from None
    return body


def _read(read: Callable[[int], bytes]) -> bytes:
    data = bytearray()
    while part := read(_CHUNK):
        data += part
        if len(data) > MAX_BODY:
            raise DocumentError(f"unpacks to more than {MAX_BODY >> 20} MiB")
    return bytes(data)


def head_of(body: bytes) -> np.void:
    """The head of unpacked binCraft; raises UnknownVersion."""
    head: np.void = np.frombuffer(body, HEAD, 1)[0]
    if head["version"] not in VERSIONS:
        raise UnknownVersion(f"is binCraft of version {head['version']}, which is not known here")
    return head


class RowReader:
    """Reads the rows of one source, second by second.

    What an aircraft says for minutes on end is decoded again only where its bytes differ from those of the second
    before. Counts of messages go on where the 16 bits of a row begin again.
    """

    def __init__(self) -> None:
        # Of the second before, by address: the steady bytes, whether all of them were sound, and what they say.
        self._addresses, self._counts = np.empty(0, "u4"), np.empty(0, "i8")
        self._bytes, self._is_sound = np.empty((0, WORDS), "u8"), np.empty(0, "?")
        self._steady: list[tuple[Any, ...]] = []

    def read(self, body: bytes, invalid: Counter[str]) -> DocumentColumns:
        """A document of unpacked binCraft.

        Values out of bounds are dropped and counted by field name in ``invalid``. Raises UnknownVersion.
        """
        head = head_of(body)
        width = int(head["width"])
        table = np.frombuffer(body, "u1", len(body) // width * width).reshape(-1, width)
        rows = np.ascontiguousarray(table[1:, :WIDTH]).view(ROW).ravel()
        is_address = ~np.isin(rows["address"] & LOW_24, (0, LOW_24))
        if not is_address.all():
            invalid["hex"] += int(np.count_nonzero(~is_address))
            rows = rows[is_address]
        steady_bytes = _without_moving(rows)
        at, is_known = self._find(rows["address"])
        is_same = is_known.copy()
        if len(self._bytes):
            is_same &= self._is_sound[at] & (steady_bytes == self._bytes[at]).all(1)
        fresh = np.flatnonzero(~is_same)
        new = Values(rows[fresh], invalid)
        steady = list(map(self._steady.__getitem__, at.tolist())) if self._steady else [()] * len(rows)
        for row, values_of_row in zip(fresh.tolist(), new.steady(), strict=True):
            steady[row] = values_of_row
        counts = self._follow_counts(rows["messages"], at, is_known)
        values = Values(rows, invalid)
        moving = values.moving(int(head["version"]))
        if head["version"] < SIGNAL_IN_DECIBELS or not head["marks"] & RATES:
            moving["messages"] = counts.astype("f8")
        is_sound = np.ones(len(rows), "?")
        is_sound[fresh] = ~new.refused
        order = np.argsort(rows["address"], kind="stable")
        self._addresses, self._counts = rows["address"][order], counts[order]
        self._bytes, self._is_sound = steady_bytes[order], is_sound[order]
        self._steady = list(map(steady.__getitem__, order.tolist()))
        ages, position_ages = values.ages()
        hexes = list(map(_address, rows["address"].tolist()))
        return DocumentColumns(
            int(head["now_ms"]) / 1000, int(head["messages"]), hexes, ages, position_ages, moving, steady, {}
        )

    def _find(self, addresses: Array) -> tuple[Array, Array]:
        """Where each address was the second before, and whether it was there."""
        if not len(self._addresses):
            return np.zeros(len(addresses), "i8"), np.zeros(len(addresses), "?")
        at = np.searchsorted(self._addresses, addresses).clip(max=len(self._addresses) - 1)
        return at, self._addresses[at] == addresses

    def _follow_counts(self, low: Array, at: Array, is_known: Array) -> Array:
        """i8[n]: the counts of messages of which these are the lower 16 bits; one that falls has begun anew."""
        counts = low.astype("i8")
        if len(self._counts):
            before = self._counts[at]
            grown = (counts - before).astype("i2")
            counts = np.where(is_known & (grown >= 0), before + grown, counts)
        return counts


# What changes every second is not compared with the second before.
_MOVING = ({*NUMBERS, "seen", "seen_pos", "signal"} - {"rssi"}) & set(ROW.names or ())


def _without_moving(rows: Array) -> Array:
    """u8[n, WORDS]: rows without what changes every second."""
    words: Array = rows.view("u8").reshape(-1, WORDS) & _STEADY_BITS
    return words


def _steady_bits() -> Array:
    bits = np.full(WIDTH, 255, "u1")
    row = bits.view(ROW)
    for name in _MOVING:
        row[name] = 0
    words: Array = bits.view("u8")
    return words


_STEADY_BITS = _steady_bits()


class Values:
    """The values of rows by the names of reports, UNSET where there is none.

    What is out of bounds is none, and counted by field name in ``invalid``; ``refused`` ?[n] are the rows with such.
    """

    def __init__(self, rows: Array, invalid: Counter[str]) -> None:
        self._rows, self._invalid = rows, invalid
        self._valid = np.unpackbits(rows["valid"], axis=1, bitorder="little").astype("?").T
        self.refused = np.zeros(len(rows), "?")

    def steady(self) -> list[tuple[Any, ...]]:
        """The values of ``STEADY`` of each row."""
        columns, nothing = self._steady_columns(), [UNSET] * len(self._rows)
        return list(zip(*(columns.get(name, nothing) for name in STEADY), strict=True))

    def _steady_columns(self) -> dict[str, list[Any]]:
        rows, valid = self._rows, self._valid
        version = rows["version_sil_type"] >> 4
        emergencies = map(EMERGENCIES.__getitem__, (rows["type_emergency"] & 7).tolist())
        columns: dict[str, list[Any]] = {
            "type": _named(rows["type_emergency"] >> 4, TYPES, "unknown"),
            "flight": self._known("flight", map(_callsign, rows["flight"].tolist()), valid[CALLSIGN]),
            "squawk": self._known("squawk", map(_squawk, rows["squawk"].tolist()), valid[VALID_SQUAWK]),
            "emergency": _listed(emergencies, valid[VALID_EMERGENCY]),
            "category": self._known("category", map(_category, rows["category"].tolist()), rows["category"] > 0),
            "nav_modes": _listed(map(_NAV_MODES.__getitem__, rows["nav_modes"].tolist()), valid[VALID_NAV_MODES]),
            "version": self._whole("version", version, version != NO_VERSION),
            "sil_type": _named(rows["version_sil_type"] & 15, SIL_TYPES, UNSET),
            "dbFlags": _listed(rows["dbFlags"].tolist(), rows["dbFlags"] > 0),
            "nic_baro": _listed(valid[NIC_BARO].astype("u1").tolist(), valid[VALID_NIC_BARO]),
            "alert": _listed(valid[ALERT].astype("u1").tolist(), valid[VALID_ALERT]),
            "spi": _listed(valid[SPI].astype("u1").tolist(), valid[VALID_SPI]),
            "rc": self._whole("rc", rows["rc"], valid[POSITION]),
        }
        for name in ("r", "t"):
            columns[name] = self._known(name, map(_text, rows[name].tolist()), rows[name] != b"")
        for name, packed in PACKED.items():
            columns[name] = self._whole(name, rows[packed.byte] >> packed.shift & packed.mask, valid[packed.bit])
        for name in ("nav_altitude_mcp", "nav_altitude_fms"):
            columns[name] = listed(name, self._number(name))
        for name in ("nav_qnh", "nav_heading"):
            columns[name] = present(self._number(name))
        return columns

    def moving(self, version: int) -> dict[str, Array]:
        """f8[n]: what changes every second, as ``floats`` has it; what no row has is left out."""
        rows, has_position = self._rows, self._has_position
        names = [name for name in (*SCALED, *WHOLE) if name in NUMBERS and self._has(name)]
        columns = {name: self._number(name) for name in names if name not in self._places}
        if "lat" in names:
            columns |= {name: np.where(has_position, degrees, NAN) for name, degrees in self._places.items()}
        altitudes = rows["alt_baro"].astype("f8") * ALTITUDE_STEP_FT
        is_ground = rows["altitude_source_ground"] & 15 == ON_GROUND
        is_altitude = self._within("alt_baro", altitudes, self._valid[ALT_BARO] & ~is_ground)
        columns["alt_baro"] = np.where(is_ground, GROUND, np.where(is_altitude, altitudes, NAN))
        columns["rssi"] = _SIGNALS[version][rows["signal"]]
        return columns

    def _has(self, name: str) -> bool:
        return bool(self._valid[SCALED[name].bit if name in SCALED else WHOLE[name][0]].any())

    def ages(self) -> tuple[Array, Array]:
        """f8[n]: the age of each row and of its position (s), NaN where it has none."""
        ages, of_position = (np.round(self._rows[name] / 10, 1) for name in ("seen", "seen_pos"))
        is_age = self._within("seen", ages, np.ones(len(ages), "?"))
        ages = np.where(is_age, ages, 0.0)
        is_age = self._within("seen_pos", of_position, self._valid[POSITION])
        return ages, np.where(self._has_position, np.where(is_age, of_position, ages), NAN)

    @cached_property
    def _has_position(self) -> Array:
        """?[n]: which have a position."""
        has_position, refused = positions(self._places["lat"], self._places["lon"])
        if refused.any():
            self._invalid["position"] += int(np.count_nonzero(refused))
        return has_position

    @cached_property
    def _places(self) -> dict[str, Array]:
        return {name: self._number(name) for name in ("lat", "lon")}

    def _number(self, name: str) -> Array:
        """f8[n]: a number in the unit of reports, NaN where there is none."""
        if name in WHOLE:
            bit, step = WHOLE[name]
            numbers = self._rows[name].astype("f8") * step
        else:
            bit, steps, digits = SCALED[name]
            numbers = np.round(self._rows[name] / steps, digits)
        return np.where(self._within(name, numbers, self._valid[bit]), numbers, NAN)

    def _whole(self, name: str, values: Array, valid: Array) -> list[Any]:
        return _listed(values.tolist(), self._within(name, values, valid))

    def _within(self, name: str, values: Array, valid: Array) -> Array:
        """Which of the valid values are within the bounds of their field."""
        least, most = bounds_of(name)
        outside = valid & ((values < least) | (values > most))
        if not outside.any():
            return valid
        self._invalid[name] += int(np.count_nonzero(outside))
        self.refused |= outside
        return valid & ~outside

    def _known(self, name: str, values: Iterable[Any], valid: Array) -> list[Any]:
        """The values as a list; those that are None are out of bounds."""
        listed = _listed(values, valid)
        for row in [row for row, value in enumerate(listed) if value is None]:
            listed[row] = UNSET
            self._invalid[name] += 1
            self.refused[row] = True
        return listed


def _listed(values: Iterable[Any], valid: Array) -> list[Any]:
    """The values as a list, UNSET where they are not valid."""
    listed = list(values)
    for row in np.flatnonzero(~valid).tolist():
        listed[row] = UNSET
    return listed


def _named(codes: Array, names: Sequence[Any], otherwise: Any) -> list[Any]:
    by_code = [*names, *repeat(otherwise, 16 - len(names))]
    return list(map(by_code.__getitem__, codes.tolist()))


@lru_cache(100_000)
def _address(address: int) -> str:
    return f"{'~' if address & NON_ICAO else ''}{address & LOW_24:06x}"


@lru_cache(100_000)
def _text(text: bytes) -> str | None:
    decoded = text.decode("utf-8", "replace")
    return decoded if decoded.isprintable() else None


@lru_cache(100_000)
def _callsign(text: bytes) -> Any:
    callsign = clean_callsign(text.decode("latin-1"))
    return None if callsign is None else callsign or UNSET


@lru_cache(8192)
def _squawk(code: int) -> str | None:
    digits = f"{code:04x}"
    return digits if digits in SQUAWKS else None


@lru_cache(256)
def _category(code: int) -> str | None:
    name = f"{code:02X}"
    return name if name in CATEGORIES else None
