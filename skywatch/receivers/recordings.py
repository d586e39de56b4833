"""Reads recordings of any kind as moments, in the recording's own time.

The kind is recognised by the content: JSON Lines (whole documents or single aircraft), SBS, or Mode S frames as
Beast, AVR or CSV; packed with gzip or not.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import BinaryIO, Literal, NamedTuple, cast

import numpy as np
from msgspec import UNSET

from skywatch.inputs.lines import LineSplitter
from skywatch.inputs.options import Station
from skywatch.receivers.formats.frames import FrameReports
from skywatch.receivers.formats.sbs import SbsLine
from skywatch.receivers.frame_tap import FrameTap
from skywatch.receivers.framing import recording as frame_recordings
from skywatch.receivers.mode_s.decoder import Decoder as FrameDecoder
from skywatch.receivers.mode_s.position.plausibility import DEFAULT_RANGE_NM
from skywatch.receivers.reports.aircraft_json import DocumentError, read_document, read_line
from skywatch.receivers.reports.documents import ReportBatch, growth
from skywatch.receivers.reports.json_columns import ColumnReader
from skywatch.receivers.reports.normalisation import finish

Kind = Literal["document", "documents", "lines", "sbs", "beast", "avr", "csv"]

# The kinds that are decoded here.
FRAMES: frozenset[Kind] = frozenset(("beast", "avr", "csv"))

SAMPLE_BYTES = 1 << 16
SAMPLE_LINES = 20
CHUNK_BYTES = 1 << 17
MAX_LINE = 64 * 1024 * 1024
# Assumed begin and interval (s) of documents without a time.
UNTIMED_START, UNTIMED_STEP_S = 1e9, 1.0
# Smallest share of good frames in the sample of a recording; random bytes have one in millions.
GOOD_SHARE = 0.2

PADDING = b" \t\r,\xef\xbb\xbf"
_SBS = re.compile(rb"(?:MSG|MLAT|SEL|ID|AIR|STA|CLK),")


class RecordingError(ValueError):
    """The file is not a recording, cannot be read or is damaged; the text is the reason in one line."""


class Moment(NamedTuple):
    """The reports received until ``at``; all times are the recording's (unix seconds)."""

    at: float
    batch: ReportBatch


def recognise(path: str) -> Kind:
    """The kind of a recording; raises RecordingError if it is not one or cannot be opened."""
    with _open(path) as stream:
        sample = _read(stream, SAMPLE_BYTES)
        if not sample:
            raise RecordingError(f"{path} is empty")
        lines = [text for line in sample.split(b"\n")[:SAMPLE_LINES] if (text := line.strip(PADDING))]
        # Not JSON Lines, but perhaps one document over many lines.
        cut = bool(lines) and lines[0].startswith(b"{") and _kind_of_line(lines[0]) is None
        if cut and _is_document(sample + _read(stream, MAX_LINE)):
            return "document"
        kinds = [kind for line in lines if (kind := _kind_of_line(line)) is not None]
    if kinds:
        return kinds[0]
    kind = frame_recordings.guess_format(sample)
    if kind is None or not _has_good_frames(sample, kind):
        raise RecordingError(f"{path} is not a recording (neither JSON Lines, SBS, Beast, AVR nor CSV)")
    return kind


def moments(
    path: str,
    kind: Kind,
    station: Station,
    invalid: Counter[str],
    slice_s: float = 0.1,
    cpr: Counter[str] | None = None,
    tap: FrameTap | None = None,
    on_read: Callable[[int], object] = lambda size: None,
    range_nm: float = DEFAULT_RANGE_NM,
) -> Iterator[Moment]:
    """Read a recording once; frames within ``slice_s`` are decoded together.

    Positions of frames that are further than ``range_nm`` from the station are not believed.

    Invalid input is counted in ``invalid``, results of position frames in ``cpr``; good frames are passed to ``tap``,
    and ``on_read`` is called with how much of the file (bytes) has been read.
    Raises RecordingError if the file cannot be opened or is damaged.
    """
    with _open(path) as stream:
        for moment in _of_kind(
            stream, kind, FrameReports(station, invalid, cpr, tap, range_nm=range_nm), invalid, slice_s
        ):
            on_read(frame_recordings.position(stream))
            yield moment


def _of_kind(
    stream: BinaryIO, kind: Kind, frames: FrameReports, invalid: Counter[str], slice_s: float
) -> Iterator[Moment]:
    if kind == "document":
        return _documents(iter([_read(stream, MAX_LINE)]), invalid)
    if kind == "documents":
        return _documents(_lines(stream, invalid), invalid)
    if kind == "lines":
        return _single_aircraft(_lines(stream, invalid), invalid)
    if kind == "sbs":
        return _sbs(_lines(stream, invalid), invalid)
    return _frames(stream, kind, frames, slice_s)


def _open(path: str) -> BinaryIO:
    try:
        return frame_recordings.open_recording(path)
    except frame_recordings.RecordingError as error:
        raise RecordingError(str(error)) from None


def _read(stream: BinaryIO, size: int) -> bytes:
    try:
        return stream.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise RecordingError(f"the recording is damaged ({error})") from None


def _kind_of_line(line: bytes) -> Kind | None:
    if _SBS.match(line):
        return "sbs"
    if not line.startswith(b"{"):
        return None
    try:
        read_document(line, Counter())
    except DocumentError:
        # A very long document does not end within the sample.
        if not line.endswith(b"}") and b'"aircraft"' in line:
            return "documents"
        return "lines" if read_line(line, Counter())[0] is not None else None
    return "documents"


def _is_document(body: bytes) -> bool:
    try:
        read_document(body, Counter())
    except DocumentError:
        return False
    return True


def _has_good_frames(sample: bytes, kind: frame_recordings.Format) -> bool:
    decoder = FrameDecoder()
    try:
        for batch in frame_recordings.read_recording(BytesIO(sample), kind):
            decoder.decode(batch)
    except frame_recordings.RecordingError:
        return False
    good = int(decoder.statistics.good.sum())
    return good > 0 and good >= GOOD_SHARE * decoder.statistics.frames


def _lines(stream: BinaryIO, invalid: Counter[str]) -> Iterator[bytes]:
    splitter = LineSplitter(MAX_LINE, invalid)
    while chunk := _read(stream, CHUNK_BYTES):
        yield from filter(None, (line.strip(PADDING) for line in splitter.feed(chunk)))
    yield from filter(None, (line.strip(PADDING) for line in splitter.close()))


def _documents(lines: Iterator[bytes], invalid: Counter[str]) -> Iterator[Moment]:
    now = last_now = UNTIMED_START
    count: int | None = None
    reader = ColumnReader()
    for line in lines:
        try:
            document = reader.read(line, invalid)
        except DocumentError:
            invalid["document"] += 1
            continue
        now = now + UNTIMED_STEP_S if document.now is None else document.now
        reports, received, positions = document.finish(now, last_now)
        previous, count = count, document.messages
        yield Moment(now, ReportBatch(reports, growth(previous, count, received), positions))
        last_now = now


def _single_aircraft(lines: Iterator[bytes], invalid: Counter[str]) -> Iterator[Moment]:
    now = UNTIMED_START
    for line in lines:
        aircraft, stamp = read_line(line, invalid)
        if aircraft is None:
            continue
        now = now if stamp is None else stamp
        reports = [aircraft] if finish(aircraft, now, invalid) else []
        yield Moment(now, ReportBatch(reports, len(reports), sum(report.position_at > 0 for report in reports)))


def _sbs(lines: Iterator[bytes], invalid: Counter[str]) -> Iterator[Moment]:
    reader = SbsLine(invalid)
    now = UNTIMED_START
    for line in lines:
        report, sent_at = reader.read(line)
        if report is None:
            continue
        now = now if sent_at is None else sent_at
        report.at = now
        if report.lat is not UNSET:
            report.position_at = now
        yield Moment(now, ReportBatch([report], 1, int(report.lat is not UNSET)))


def _frames(stream: BinaryIO, kind: Kind, reports: FrameReports, slice_s: float) -> Iterator[Moment]:
    form = cast(frame_recordings.Format, kind)
    try:
        for batch in frame_recordings.read_recording(stream, form):
            cuts = np.flatnonzero(np.diff(np.floor(batch.time / slice_s))) + 1
            for first, last in zip([0, *cuts.tolist()], [*cuts.tolist(), len(batch)], strict=True):
                yield Moment(float(batch.time[last - 1]), reports.decode(batch[first:last]))
    except frame_recordings.RecordingError as error:
        raise RecordingError(str(error)) from None
