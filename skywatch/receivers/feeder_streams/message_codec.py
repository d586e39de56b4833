"""A reduction as a message of the bus: a version, then compressed columns.

Columns are little-endian memory. Of each field there is a bit for each report that has it, and the values of those.
"""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import msgspec
import numpy as np

from skywatch.core.arrays import distinct
from skywatch.receivers.base import ReceiverStatus
from skywatch.receivers.feeder_streams.feeder import Lane
from skywatch.receivers.feeder_streams.reducer.columns import FIELDS, AloneFrames, Heard, ReducedColumns
from skywatch.receivers.feeder_streams.reduction import Delivered, Link, Reduction
from skywatch.receivers.feeder_streams.voices import OURS, Voice
from skywatch.receivers.framing.frames import LONG_BYTES, ROW_BYTES, Column
from skywatch.receivers.reports.report import Report

VERSION = 1
_COMPRESSION_LEVEL = 1
_OLDEST_MS = 65_535
_REPORT_DTYPES = {
    "key": "<i8", "at": "<f8", "position_at": "<f8", "messages": "<i4", "voices": "<u1", "is_dissent": "?",
    "rssi": "<f4", "acas_ra": "<i8", "acas_ra_frames": "<i4",
}  # fmt: skip
_HEARD_DTYPES = {"address": "<u4", "feeder": "<u4", "rssi": "<f4", "has_position": "?"}
_ALONE_DTYPES = {"key": "<i8", "age_ms": "<u2", "length": "<u1", "data": "<u1"}
_REPORT_FIELDS = Report.__struct_fields__


class UnknownVersion(ValueError):
    """A message of another release."""


class FeederMessage(NamedTuple):
    """What an ingest process sends once a second.

    ``statuses`` are those of its listeners; of the feeders ``copied`` two networks used the UUID at the same time.
    """

    process: str
    reduction: Reduction
    statuses: list[ReceiverStatus]
    copied: list[int]


class _Wire(msgspec.Struct, array_like=True):
    process: str
    at: float
    count: int
    reports: dict[str, bytes]
    fields: dict[str, tuple[bytes, bytes]]
    heard: dict[str, bytes]
    lanes: dict[int, tuple[str, int, tuple[str, str] | None]]
    links: list[Link]
    delivered: list[tuple[str, tuple[str, str] | None, list[list[tuple[int, Any]]], int]]
    statuses: list[ReceiverStatus]
    copied: list[int]
    # Processes of the release before do not send it.
    alone: dict[str, bytes] = msgspec.field(default_factory=dict)


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Wire)


def encode(message: FeederMessage) -> bytes:
    """A message as bytes."""
    reduction = message.reduction
    reports, heard = reduction.reports, reduction.heard
    fields = {}
    for place, name in enumerate(FIELDS):
        has_value = ~np.isnan(reports.values[:, place])
        if has_value.any():
            values = reports.values[has_value, place].astype("<f8")
            fields[name] = np.packbits(has_value).tobytes(), values.tobytes()
    in_use = set(distinct(reports.lane).tolist()) | set(distinct(heard.feeder).tolist())
    wire = _Wire(
        message.process,
        reduction.at,
        len(reports),
        {name: getattr(reports, name).astype(dtype).tobytes() for name, dtype in _REPORT_DTYPES.items()},
        fields,
        {name: getattr(heard, name).astype(dtype).tobytes() for name, dtype in _HEARD_DTYPES.items()},
        {
            number: (lane.receiver, lane.feeder_id, _wire_voice(lane.voice))
            for number, lane in reduction.lanes.items()
            if number in in_use
        },
        reduction.links,
        [
            (name, _wire_voice(voice), [_members(report) for report in reports], messages)
            for name, voice, reports, messages in reduction.delivered
        ],
        message.statuses,
        message.copied,
        _alone_columns(reduction.alone, reduction.at),
    )
    return bytes([VERSION]) + zlib.compress(_encoder.encode(wire), _COMPRESSION_LEVEL)


def decode(data: bytes) -> FeederMessage:
    """The message of ``encode``; raises UnknownVersion for one of another release, ValueError for what is none."""
    if not data or data[0] != VERSION:
        raise UnknownVersion(f"reports of version {data[0] if data else 0}; this process reads version {VERSION}")
    try:
        wire = _decoder.decode(zlib.decompress(data[1:]))
        columns = {name: np.frombuffer(wire.reports[name], dtype) for name, dtype in _REPORT_DTYPES.items()}
        alone = _alone_frames(wire.alone, wire.at)
        heard = {name: np.frombuffer(wire.heard[name], dtype) for name, dtype in _HEARD_DTYPES.items()}
        values = np.full((wire.count, len(FIELDS)), np.nan)
        for place, name in enumerate(FIELDS):
            if name in wire.fields:
                values[_rows(wire.fields[name][0], wire.count), place] = np.frombuffer(wire.fields[name][1], "<f8")
    except (msgspec.MsgspecError, zlib.error, KeyError) as error:
        raise ValueError(f"not a message of feeders: {error}") from None
    if any(len(column) != wire.count for column in columns.values()):
        raise ValueError("not a message of feeders: columns differ in length")
    reduction = Reduction(
        wire.at,
        ReducedColumns(values=values, **columns),
        {number: Lane(name, feeder_id, _voice(voice)) for number, (name, feeder_id, voice) in wire.lanes.items()},
        Heard(
            heard["address"].astype(np.int64), heard["feeder"].astype(np.int64), heard["rssi"], heard["has_position"]
        ),
        wire.links,
        [
            Delivered(name, _voice(voice), [_report(members) for members in reports], messages)
            for name, voice, reports, messages in wire.delivered
        ],
        alone,
    )
    return FeederMessage(wire.process, reduction, wire.statuses, wire.copied)


def encode_addresses(addresses: Column) -> bytes:
    """Addresses i8[n] as bytes: a version, then compressed differences."""
    steps = np.diff(np.sort(addresses), prepend=0)
    return bytes([VERSION]) + zlib.compress(steps.astype("<u4").tobytes(), _COMPRESSION_LEVEL)


def decode_addresses(data: bytes) -> Column:
    """The addresses of ``encode_addresses`` in their order; raises UnknownVersion and ValueError as ``decode``."""
    if not data or data[0] != VERSION:
        raise UnknownVersion(f"addresses of version {data[0] if data else 0}; this process reads version {VERSION}")
    try:
        return np.cumsum(np.frombuffer(zlib.decompress(data[1:]), "<u4"), dtype=np.int64)
    except zlib.error as error:
        raise ValueError(f"not a list of addresses: {error}") from None


def _alone_columns(alone: AloneFrames, at: float) -> dict[str, bytes]:
    """Frames by feeder, with their ages before ``at`` (unix s)."""
    alone = alone[np.argsort(alone.key, kind="stable")]
    columns = {
        "key": alone.key,
        "age_ms": np.clip(np.rint((at - alone.time) * 1000), 0, _OLDEST_MS),
        "length": alone.length,
        "data": alone.data[:, :LONG_BYTES],
    }
    return {name: column.astype(_ALONE_DTYPES[name]).tobytes() for name, column in columns.items()}


def _alone_frames(columns: dict[str, bytes], at: float) -> AloneFrames:
    if not columns:
        return AloneFrames.concatenate([])
    key, age_ms, length, sent = (np.frombuffer(columns[name], dtype) for name, dtype in _ALONE_DTYPES.items())
    data = np.zeros((len(key), ROW_BYTES), np.uint8)
    data[:, :LONG_BYTES] = sent.reshape(len(key), LONG_BYTES)
    if len(age_ms) != len(key) or len(length) != len(key):
        raise ValueError("not a message of feeders: columns differ in length")
    return AloneFrames(key, at - age_ms / 1000, data, length)


def _rows(bits: bytes, count: int) -> Column:
    return np.flatnonzero(np.unpackbits(np.frombuffer(bits, np.uint8), count=count))


def _members(report: Report) -> list[tuple[int, Any]]:
    """The members that a report has, by their places."""
    values = [getattr(report, name) for name in _REPORT_FIELDS]
    return [(place, value) for place, value in enumerate(values) if value is not msgspec.UNSET]


def _report(members: list[tuple[int, Any]]) -> Report:
    return Report(**{_REPORT_FIELDS[place]: value for place, value in members})


def _wire_voice(voice: Voice) -> tuple[str, str] | None:
    """A voice as earlier releases send it: None for ours."""
    return None if voice.is_ours else voice


def _voice(voice: tuple[str, str] | None) -> Voice:
    return OURS if voice is None else Voice(*voice)
