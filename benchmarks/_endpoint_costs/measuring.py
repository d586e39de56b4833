"""The processor time of one request: through the whole application, in this process, its body read to the end."""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from benchmarks._endpoint_costs.ask import Ask
from benchmarks._endpoint_costs.calibration import REFERENCE_MS, loop_ms
from benchmarks._endpoint_costs.entry import Entry
from benchmarks._endpoint_costs.installation import Installation

# One that seems too dear is made so often, and the cheapest counts: whatever else the machine does makes it dearer.
ROUNDS = 5
# A background thread that is at work for longer than this is waited for no longer (s).
MAX_WORK_S = 5.0
QUIET_S = 0.01
# Short form: a request that costs less than this part of its limit by the fastest loop until then, with the garbage and
# the background work of the one before, is not measured between loops of its own.
QUICK_PART = 0.0
_loops_ms: list[float] = []


class UnexpectedAnswerError(Exception):
    """The status is none of those that the entry expects; ``str()`` names both."""


@dataclass(frozen=True)
class Cost:
    """What a request cost: milliseconds here, as a multiple of the loop, of its dearest piece, and its size."""

    ms: float
    ratio: float
    piece_ms: float
    body_bytes: int
    status: int

    @property
    def reference_ms(self) -> float:
        """What it would cost on the reference machine."""
        return self.ratio * REFERENCE_MS


def cost_of(installation: Installation, method: str, entry: Entry) -> Cost:
    """The cost of an entry's request; raises UnexpectedAnswerError where the answer is not the expected one."""
    if QUICK_PART and _loops_ms:
        quick = _once(installation, method, entry, min(_loops_ms))
        if quick.reference_ms <= QUICK_PART * entry.allowed_ms:
            return quick
    best = _once(installation, method, entry)
    for _ in range(1, ROUNDS):
        if is_allowed(entry, best):
            break
        best = min(best, _once(installation, method, entry), key=lambda cost: cost.ratio)
    return best


def _once(installation: Installation, method: str, entry: Entry, known_ms: float | None = None) -> Cost:
    """One request, its loop measured before and after it, or ``known_ms``."""
    ask = entry.ask(installation)
    if known_ms is None:
        _settle()
    before = _two_loops_ms() if known_ms is None else known_ms
    status, total_ms, pieces_ms, size, body = _answered(installation, method, ask)
    loop = min(before, _two_loops_ms()) if known_ms is None else known_ms
    if status not in ask.status:
        raise UnexpectedAnswerError(f"{status} instead of {ask.status}: {body[:500]!r}")
    judged = max(pieces_ms) if entry.is_stream else total_ms
    return Cost(total_ms, judged / loop, max(pieces_ms), size, status)


def _two_loops_ms() -> float:
    _loops_ms.append(min(loop_ms(), loop_ms()))
    return _loops_ms[-1]


def _answered(installation: Installation, method: str, ask: Ask) -> tuple[int, float, list[float], int, bytes]:
    """Status, milliseconds of all of it and of each piece, size and begin of the answer."""
    request = installation.request(method, ask)
    began = time.process_time()
    status, _, pieces = request.call_application(installation.application)
    times, size, first = [began], 0, b""
    try:
        for piece in pieces:
            times.append(time.process_time())
            size += len(piece)
            first = first or piece[:1000]
    finally:
        _close(pieces)
    times.append(time.process_time())
    took = [1000 * (after - before) for before, after in itertools.pairwise(times)]
    return int(status.split()[0]), 1000 * (times[-1] - began), took, size, first


def _close(pieces: Iterable[bytes]) -> None:
    close: Any = getattr(pieces, "close", None)
    if close is not None:
        close()


def prepare() -> None:
    """Leave what there is out of the collector's further rounds: none of it will be garbage."""
    gc.collect()
    gc.freeze()


def _settle() -> None:
    """Wait until no background thread is at work on what the request before has left, and collect garbage."""
    gc.collect()
    deadline = time.monotonic() + MAX_WORK_S
    while time.monotonic() < deadline:
        before = time.process_time()
        time.sleep(QUIET_S)
        if time.process_time() - before < QUIET_S / 10:
            return


def is_allowed(entry: Entry, cost: Cost) -> bool:
    """Whether the request costs no more than its limit."""
    return cost.reference_ms <= entry.allowed_ms
