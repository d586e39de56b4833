"""The recordings that the command is given, of any kind, as one sequence of moments in the order of their times."""

from __future__ import annotations

import heapq
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from skywatch.receivers import recordings
from skywatch.receivers.recordings import Moment, RecordingError
from skywatch.receivers.reports import traces
from skywatch.receivers.reports.documents import ReportBatch
from skywatch.receivers.reports.report import Report
from skywatch.safety.playback import tracks

OnShare = Callable[[float], object]
# Frames received within this time (s) are decoded together.
SLICE_S = 0.5


def read(
    paths: Sequence[str],
    station: tuple[float, float] | None,
    invalid: Counter[str],
    on_share: OnShare = lambda share: None,
) -> Iterator[Moment]:
    """The moments of all files; a folder stands for the traces in it, ``-`` for standard input.

    ``on_share`` is called with the share of the work that is done; what is not valid is counted in ``invalid``. Raises
    RecordingError (a ValueError) for a file that is no recording, before anything is read, or that is damaged.
    """
    with ExitStack() as stack:
        if "-" in paths:
            copy = _standard_input(stack)
            yield from _naming(
                read([copy if path == "-" else path for path in paths], station, invalid, on_share), copy
            )
            return
        of_traces = [path for path in paths if Path(path).is_dir() or traces.is_trace(Path(path))]
        readers: list[Callable[[OnShare], Iterator[Moment]]] = []
        if of_traces:
            spans = sorted(span for path in of_traces for span in _spans(Path(path), invalid))
            readers.append(lambda on_share: _merged(spans, invalid, on_share))
        readers += [_reader(path, station, invalid) for path in paths if path not in of_traces]
        shares = [0.0] * len(readers)

        def noting(number: int) -> OnShare:
            def note(share: float) -> None:
                shares[number] = share
                on_share(sum(shares) / len(shares))

            return note

        parts = [reader(noting(number)) for number, reader in enumerate(readers)]
        yield from parts[0] if len(parts) == 1 else heapq.merge(*parts, key=attrgetter("at"))


def _naming(moments: Iterator[Moment], copy: str) -> Iterator[Moment]:
    try:
        yield from moments
    except RecordingError as error:
        raise RecordingError(str(error).replace(copy, "standard input")) from None


def _standard_input(stack: ExitStack) -> str:
    """A copy of standard input: what kind it is of can only be said by reading some of it."""
    path = Path(stack.enter_context(TemporaryDirectory(prefix="skywatch-"))) / "input"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return str(path)


def _reader(
    path: str, station: tuple[float, float] | None, invalid: Counter[str]
) -> Callable[[OnShare], Iterator[Moment]]:
    if tracks.is_tracks(path):
        return lambda on_share: tracks.moments(path, invalid, on_share)
    kind, size = recordings.recognise(path), max(Path(path).stat().st_size, 1)
    return lambda on_share: recordings.moments(
        path, kind, station, invalid, slice_s=SLICE_S, on_read=lambda position: on_share(position / size)
    )


def _spans(path: Path, invalid: Counter[str]) -> Iterator[tuple[float, float, Path]]:
    """When each trace of a path begins and ends (unix s); those without a position are left out.

    Of a folder files that are no traces are counted as ``trace`` and left out, unless all are.
    """
    files = traces.find(path)
    fault: RecordingError | None = RecordingError(f"{path}: has no {traces.PATTERN}")
    for file in files:
        try:
            trace = _trace(file)
        except RecordingError as error:
            fault, _ = fault and error, invalid.update(["trace"])
            continue
        fault = None
        if entries := traces.good_entries(trace):
            begin, end = (trace.timestamp + entry[traces.TIME] for entry in (entries[0], entries[-1]))
            yield begin, end, file
    if fault is not None:
        raise fault


def _merged(spans: Sequence[tuple[float, float, Path]], invalid: Counter[str], on_share: OnShare) -> Iterator[Moment]:
    """The entries of traces in order. Each trace is in memory only from its first entry to its last."""
    if not spans:
        return
    began, duration_s = spans[0][0], max(max(end for _, end, _ in spans) - spans[0][0], 1.0)
    waiting = iter([*spans, None])
    following = next(waiting)
    heap: list[tuple[float, int, Report, Iterator[Report]]] = []
    number = 0
    while heap or following:
        while following and (not heap or following[0] <= heap[0][0]):
            reports = traces.reports(_trace(following[2]), invalid)
            following, number = next(waiting), number + 1
            if (first := next(reports, None)) is not None:
                heapq.heappush(heap, (first.at, number, first, reports))
        if not heap:
            continue
        at, index, report, reports = heap[0]
        after = next(reports, None)
        if after is None:
            heapq.heappop(heap)
        else:
            heapq.heapreplace(heap, (after.at, index, after, reports))
        on_share((at - began) / duration_s)
        yield Moment(at, ReportBatch([report], 1, 1))


def _trace(file: Path) -> traces.Trace:
    try:
        return traces.read(file)
    except traces.TraceError as error:
        raise RecordingError(str(error)) from None
