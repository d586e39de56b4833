"""``Sky``: the whole picture at one tick, immutable, as NumPy columns and one encoded JSON object an aircraft.

It is made once a second by the picture, shared by reference within a process and as bytes between processes,
and read by the REST API, the real-time channel and the monitors. Row *i* of every column, ``hexes[i]``,
``encoded[i]`` and ``details[i]`` are the same aircraft. Rows may move from tick to tick; ``previous_row`` says
where each one was.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from skywatch.receivers.reports.receiver_names import FEEDERS

Column = npt.NDArray[Any]

# name -> dtype. Angles in degrees, NaN where unknown; *_at are unix seconds; texts are ASCII, empty where unknown.
COLUMNS: dict[str, str] = {
    "lat": "f8",
    "lon": "f8",
    "alt_baro_ft": "f4",  # NaN on the ground
    "alt_geom_ft": "f4",
    "gs_kt": "f4",
    "track_deg": "f4",
    "baro_rate_fpm": "f4",
    "geom_rate_fpm": "f4",
    "distance_nm": "f4",
    "bearing_deg": "f4",
    "rssi_db": "f4",
    "nic": "i2",  # -1 where unknown
    "nac_p": "i2",
    "sil": "i2",
    "seen_at": "f8",  # last message
    "position_at": "f8",  # last position
    "altitude_at": "f8",  # when each group of fields was last heard, for the ages that the REST API shows
    "velocity_at": "f8",  # ground speed, track, vertical rate
    "callsign_at": "f8",
    "squawk_at": "f8",
    "emergency_at": "f8",  # of the emergency state
    "alt_geom_at": "f8",
    "acas_ra_at": "f8",
    "first_seen": "f8",
    "messages": "i8",
    "on_ground": "?",
    "military": "?",
    "interesting": "?",
    "emergency": "?",  # squawk 7500, 7600 or 7700, or an emergency state
    "acas_ra": "?",
    "acas_ra_frames": "i4",  # frames with an advisory since it began; 0 where the input does not tell frames
    "single_source": "?",  # only one untrusted feeder has ever heard it
    "simulated": "?",  # a simulator's: where the position came from, or the last report of one without
    "mlat": "?",  # the position was computed from arrival times
    "tisb": "?",
    "flight": "S8",
    "registration": "S12",
    "type": "S4",
    "squawk": "S4",
    "category": "S2",
    "origin": "S4",  # of the route that is shown, by ICAO code
    "destination": "S4",
    "origin_iata": "S4",  # by IATA code where there is one, else as above
    "destination_iata": "S4",
    "seen_before_days": "f4",  # since the flight before this one; inf where there is none, NaN where not known yet
    "operator": "u4",  # index into Sky.names, 0 where unknown
    "owner": "u4",
    "source": "u1",  # index into SOURCES
    "position_source": "u1",  # of the position, and where it was heard: see ``own_antenna``; 0 where there is none
    "receiver": "u2",  # index into Sky.receivers: where the last position came from
    "previous_row": "i4",  # this aircraft's row in the tick before, -1 where it is new
    "airframe_changed": "?",  # registration, operator or owner may differ from the tick before, or the aircraft is new
    "changed": "?",  # something but ages, counts and signal strength differs from the tick before
}

# Columns that came later than the first release (schema 0028). Each new one is named here. In a whole sky they travel
# apart from the others, where older releases do not look; one that a release does not send is read as zeros, or as NaN
# where a zero means something. Changes have a version, and who cannot read it takes whole skies.
ROUTE_COLUMNS = ("origin", "destination", "origin_iata", "destination_iata")
LATER_COLUMNS = frozenset(
    {"alt_geom_at", "emergency_at", "position_source", "seen_before_days", "simulated", "single_source", *ROUTE_COLUMNS}
)
LATER_UNKNOWN = frozenset({"seen_before_days"})

# Beside them travels ``Sky.doubt``, under this name.
DOUBT = "doubt"
LATER_MEMBERS = LATER_COLUMNS | {DOUBT}
# Of an aircraft whose tracker does not send it (an earlier release): all of it may be one stranger's word.
UNKNOWN_DOUBT = 0xFFFF


@dataclass(frozen=True)
class RefusedPosition:
    """A position that was refused because the aircraft cannot have got there, repeated ``times`` times in a row.

    ``in_doubt``: a stranger says so whom nobody confirms.
    """

    hex: str
    lat: float
    lon: float
    at: float
    receiver: str
    times: int
    in_doubt: bool = False


@dataclass(frozen=True)
class DisputedPosition:
    """Two receivers that place one aircraft so that it cannot be at both: what is refused, and what is believed.

    ``is_mlat``: one of the two was computed from arrival times; ``is_own``: the other, or both, are the aircraft's own
    broadcasts. ``is_credible``: the refused receiver is not often wrong, and the place is where it receives aircraft.
    ``in_doubt``: a stranger contradicts whom nobody confirms.
    """

    hex: str
    lat: float
    lon: float
    at: float
    receiver: str
    believed_lat: float
    believed_lon: float
    believed_receiver: str
    is_mlat: bool
    is_own: bool
    is_credible: bool
    in_doubt: bool = False


@dataclass(frozen=True)
class Sky:
    """The picture after tick ``seq`` of the start ``epoch``.

    ``station`` is the place that everybody may know and from which distances are, ``exact_station`` the antenna's, for
    those who may know it (``exact_distances``); None where the tracker has not said.
    ``encoded`` holds complete JSON objects without airframe details that need ``aircraft.view_details``;
    ``details`` holds, for each, the JSON members to add for those who may see them (``"r":"D-AIZZ",...``, empty
    where nothing is known). ``left`` are the addresses that went with this tick. ``messages`` counts all
    messages since the start. ``names`` holds each operator and owner once; an index is good for this sky alone.
    """

    epoch: str
    seq: int
    now: float
    messages: int
    hexes: list[str]
    columns: dict[str, Column]
    encoded: list[bytes]
    details: list[bytes]
    left: tuple[str, ...] = ()
    receivers: tuple[str, ...] = ()
    station: tuple[float, float] | None = None
    names: tuple[str, ...] = ("",)
    exact_station: tuple[float, float] | None = None
    # How long the tracker had been silent when this was made of its last sky (``silence.aged``); 0 for its own.
    age_s: float = 0.0
    # u2[n]: the bits of the values that nobody vouches for, see ``doubt``; None where all are sure.
    doubt: Column | None = None
    # Those of LATER_MEMBERS that an earlier release did not send: what stands for them is made up.
    missing: frozenset[str] = frozenset()
    # The following are for the monitors of the tracker alone: they do not travel to other processes.
    # False while aircraft may be in the air that were not received again since the picture began: see ``completion``.
    is_complete: bool = True
    refused: tuple[RefusedPosition, ...] = ()
    disputed: tuple[DisputedPosition, ...] = ()
    # Answers that readers have built from this sky, kept for others who ask the same; it goes with the sky.
    scratch: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.hexes)

    @cached_property
    def index(self) -> dict[str, int]:
        """Row of each address."""
        return dict(zip(self.hexes, range(len(self.hexes)), strict=True))

    def column(self, name: str) -> Column:
        """One column, by its name in COLUMNS; never write to it."""
        return self.columns[name]

    def routes(self, rows: npt.NDArray[np.intp]) -> Column:
        """The routes S9[rows] of some aircraft (``EGLL-KJFK``), empty where none is shown."""
        origin, destination = self.columns["origin"][rows], self.columns["destination"][rows]
        return np.where(origin == b"", b"", np.char.add(np.char.add(origin, b"-"), destination))

    def doubt_by_row(self) -> Column:
        """``doubt``, u2[n] where all are sure, too."""
        return np.zeros(len(self), "u2") if self.doubt is None else self.doubt

    def is_military(self, icao_hex: str) -> bool:
        """Whether an aircraft (either case) is in the sky, and military: receivers may report it in this second."""
        row = self.index.get(icao_hex.lower())
        return row is not None and bool(self.columns["military"][row])

    def name(self, column: str, row: int) -> str:
        """The operator or owner of one aircraft, empty where unknown."""
        return self.names[int(self.columns[column][row])]

    def body(self, row: int, details: bool) -> bytes:
        """The JSON object of one aircraft, with or without the airframe details."""
        base = self.encoded[row]
        extra = self.details[row] if details else b""
        return base[:-1] + b"," + extra + b"}" if extra else base

    def bodies(self, rows: Sequence[int] | npt.NDArray[np.intp], details: bool) -> bytes:
        """A JSON array of the aircraft in these rows."""
        if details:
            return b"[" + b",".join([self.body(int(row), True) for row in rows]) + b"]"
        encoded = self.encoded
        return b"[" + b",".join([encoded[row] for row in rows]) + b"]"

    def aircraft(self, address: str, details: bool = True) -> dict[str, Any] | None:
        """One aircraft as a dictionary, or None where it is not in the sky."""
        row = self.index.get(address)
        return msgspec.json.decode(self.body(row, details)) if row is not None else None

    @property
    def changed_rows(self) -> npt.NDArray[np.intp]:
        """Rows that differ from the tick before (new ones included)."""
        return np.flatnonzero(self.columns["changed"])

    @property
    def new_rows(self) -> npt.NDArray[np.intp]:
        """Rows that were not in the tick before."""
        return np.flatnonzero(self.columns["previous_row"] < 0)


def unknown_column(name: str, count: int) -> Column:
    """A column of COLUMNS in which nothing is known, of so many aircraft, all of them new."""
    dtype = COLUMNS[name]
    missing: Any = np.nan if dtype[0] == "f" else -1 if dtype == "i2" or name == "previous_row" else 0
    column: Column = np.full(count, b"" if dtype[0] == "S" else missing, dtype)
    return column


def missing_column(name: str, count: int) -> Column:
    """A column of LATER_COLUMNS that another release does not send, of so many aircraft."""
    dtype = COLUMNS[name]
    return np.full(count, np.nan, dtype) if name in LATER_UNKNOWN else np.zeros(count, dtype)


def unknown_columns(count: int) -> dict[str, Column]:
    """All columns of a sky that is made of other data than reports, to be filled with what is known."""
    return {name: unknown_column(name, count) for name in COLUMNS}


def empty_sky(now: float = 0.0, epoch: str = "", receivers: tuple[str, ...] = ()) -> Sky:
    """A sky without aircraft, as before the first tick."""
    columns = unknown_columns(0)
    return Sky(epoch, 0, now, 0, [], columns, [], [], receivers=receivers)


class _Head(msgspec.Struct, array_like=True):
    epoch: str
    seq: int
    now: float
    messages: int
    hexes: list[str]
    left: tuple[str, ...]
    receivers: tuple[str, ...]
    station: tuple[float, float] | None
    names: tuple[str, ...]
    encoded_lengths: bytes
    detail_lengths: bytes
    columns: dict[str, bytes]
    encoded: bytes
    details: bytes
    exact_station: tuple[float, float] | None = None
    later_columns: dict[str, bytes] = {}


_pack = msgspec.msgpack.Encoder()
_unpack = msgspec.msgpack.Decoder(_Head)
# Level 1 makes a quarter of the size in the least time; higher levels cost twice as much for a tenth less.
_COMPRESSION_LEVEL = 1
# What is larger once unpacked is refused: 15,000 aircraft are 4 MB beside their objects.
MAX_BYTES = 64 * 1024 * 1024
# An epoch and a number are never longer; and how long numbers are, by their first byte.
_MOMENT_BYTES = 300
_NUMBER_BYTES = {0xCC: 2, 0xCD: 3, 0xCE: 5, 0xCF: 9}


def to_bytes(sky: Sky) -> bytes:
    """The sky for another process, compressed; columns travel as raw memory, JSON objects as one blob."""
    columns, later = set_apart({name: column.tobytes() for name, column in sky.columns.items()})
    later[DOUBT] = sky.doubt_by_row().tobytes()
    return zlib.compress(
        _pack.encode(
            _Head(
                sky.epoch,
                sky.seq,
                sky.now,
                sky.messages,
                sky.hexes,
                sky.left,
                sky.receivers,
                sky.station,
                sky.names,
                np.fromiter(map(len, sky.encoded), "<u4", len(sky.encoded)).tobytes(),
                np.fromiter(map(len, sky.details), "<u4", len(sky.details)).tobytes(),
                columns,
                b"".join(sky.encoded),
                b"".join(sky.details),
                sky.exact_station,
                later,
            )
        ),
        _COMPRESSION_LEVEL,
    )


def from_bytes(data: bytes) -> Sky:
    """The sky another process sent; raises ValueError where it is not one of this version's."""
    try:
        unpacking = zlib.decompressobj()
        content = unpacking.decompress(data, MAX_BYTES)
        if not unpacking.eof:
            raise ValueError("not a sky: it is too large, or was cut short")
        head = _unpack.decode(content)
        given = put_together(head.columns, head.later_columns, len(head.hexes))
        if "previous_row" not in given:
            raise ValueError("the columns are those of another version")
        columns = {name: np.frombuffer(given[name], dtype=dtype) for name, dtype in COLUMNS.items()}
        if any(len(column) != len(head.hexes) for column in columns.values()):
            raise ValueError("columns and addresses differ in length")
        told = head.later_columns.get(DOUBT)
        doubt = received_doubt(None if told is None else np.frombuffer(told, "u2"), columns["receiver"], head.receivers)
        encoded = _split(head.encoded, head.encoded_lengths, len(head.hexes))
        details = _split(head.details, head.detail_lengths, len(head.hexes))
    except (msgspec.MsgspecError, zlib.error) as error:
        raise ValueError(f"not a sky: {error}") from None
    return Sky(
        head.epoch,
        head.seq,
        head.now,
        head.messages,
        head.hexes,
        columns,
        encoded,
        details,
        head.left,
        head.receivers,
        head.station,
        head.names,
        head.exact_station,
        doubt=doubt,
        missing=LATER_MEMBERS.difference(head.columns, head.later_columns),
    )


def received_doubt(told: Column | None, receiver: Column, receivers: tuple[str, ...]) -> Column | None:
    """``Sky.doubt`` of a received sky, u2[n] if the tracker has ``told`` it.

    If not, every aircraft whose ``receiver`` (u2[n], index into ``receivers``) is not an own one is in doubt. Raises
    ValueError where the two differ in length.
    """
    if told is None:
        of_feeders = [index for index, name in enumerate(receivers) if name == FEEDERS]
        told = np.where(np.isin(receiver, of_feeders), UNKNOWN_DOUBT, 0).astype("u2")
    if len(told) != len(receiver):
        raise ValueError("the doubt and the addresses differ in length")
    return told if told.any() else None


def moment_of(data: bytes) -> tuple[str, int] | None:
    """Epoch and seq of a sky in the form of ``to_bytes``, without reading the rest; None where that is not one.

    They are the first two members of a MessagePack array (its specification: "array", "str" and "int format family").
    """
    try:
        begin = zlib.decompressobj().decompress(data, _MOMENT_BYTES)
        epoch_at = 3 if begin[:1] == b"\xdc" else 1
        seq_at = epoch_at + _text_length(begin[epoch_at:])
        epoch = msgspec.msgpack.decode(begin[epoch_at:seq_at], type=str)
        seq = msgspec.msgpack.decode(begin[seq_at : seq_at + _NUMBER_BYTES.get(begin[seq_at], 1)], type=int)
    except (msgspec.MsgspecError, zlib.error, IndexError):
        return None
    return epoch, seq


def _text_length(data: bytes) -> int:
    """How many bytes a short MessagePack text takes."""
    return 2 + data[1] if data[0] == 0xD9 else 1 + (data[0] & 0x1F)


def set_apart(columns: dict[str, bytes]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The columns that every release knows, and the later ones."""
    later = {name: columns[name] for name in LATER_COLUMNS if name in columns}
    return {name: data for name, data in columns.items() if name not in later}, later


def put_together(columns: dict[str, bytes], later: dict[str, bytes], count: int) -> dict[str, bytes]:
    """What another release has set apart, as this one's columns of ``count`` rows; raises ValueError.

    Columns that this release does not know are left out, later ones that the other does not know are zeros, or unknown.
    """
    given = {**columns, **later}
    for name in LATER_COLUMNS - given.keys():
        given[name] = missing_column(name, count).tobytes()
    if not given.keys() >= COLUMNS.keys() - {"previous_row"}:
        raise ValueError("the columns are those of another version")
    return given


def _split(blob: bytes, lengths: bytes, count: int) -> list[bytes]:
    ends = np.cumsum(np.frombuffer(lengths, "<u4"), dtype=np.int64).tolist()
    if len(ends) != count or (ends[-1] if ends else 0) != len(blob):
        raise ValueError("the encoded aircraft differ in length")
    starts = [0, *ends][: len(ends)]
    return [blob[a:b] for a, b in zip(starts, ends, strict=True)]
