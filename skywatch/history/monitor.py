"""History's part in the tracker: takes every tick, and writes in the background every few seconds."""

from __future__ import annotations

import time

from sqlalchemy.orm import Session

from skywatch.core.runtime import Runtime
from skywatch.core.storage.writer import BackgroundWriter
from skywatch.history.recorder.recorder import Batch, Recorder
from skywatch.history.recorder.writer import Writer, WriteResult
from skywatch.history.settings import HistorySettings
from skywatch.picture.state.sky import Sky

# What is received now is in the next tick, a second later at most.
TICK_S = 1.0
# Longest wait for the database at the start; after it, recovery runs once the database answers.
START_S = 3.0


def pause_after(flush_s: float, took_s: float) -> float:
    """How long to wait after a flush that took ``took_s``, so that a crash loses no more than ``flush_s``.

    A crash loses what was received from a tick before one flush began until the next one has ended. Slow flushes
    still leave half the time to other users of the database.
    """
    return max(flush_s / 2, flush_s - TICK_S - 2 * took_s)


class RecorderSource:
    """The recorder as the source of a background writer: a batch of everything, every ``flush_s``.

    The depth is counted in points and bounded by the recorder.
    """

    def __init__(self, recorder: Recorder, flush_s: float) -> None:
        self._recorder = recorder
        self._flush_s = flush_s
        self._due_at = time.monotonic() + pause_after(flush_s, 0.0)
        self._taken_at = 0.0
        self._collected_until = 0.0
        self._committed_until = 0.0

    @property
    def depth(self) -> int:
        return self._recorder.waiting

    @property
    def dropped(self) -> int:
        return self._recorder.lost

    def behind_s(self) -> float:
        return max(0.0, self._recorder.now - self._committed_until) if self._committed_until else 0.0

    def delay_s(self) -> float:
        return max(0.0, self._due_at - time.monotonic())

    def take(self, limit: int) -> list[Batch]:
        self._taken_at = time.monotonic()
        if self._recorder.now == self._collected_until:
            self._due_at = self._taken_at + self._flush_s
            return []
        batch = self._recorder.collect()
        self._collected_until = batch.now
        return [batch]

    def done(self, entries: list[Batch]) -> None:
        now = time.monotonic()
        self._due_at = now + pause_after(self._flush_s, now - self._taken_at)
        self._committed_until = entries[-1].now


class HistoryMonitor:
    """Records flights and tracks. While the database is away, they are buffered in memory, up to a limit."""

    name = "history"

    def __init__(self, runtime: Runtime) -> None:
        settings = runtime.settings.of(HistorySettings)
        self.recorder = Recorder(
            settings.history_error_m, settings.history_altitude_error_ft, settings.history_flight_gap_s
        )
        self._writer = Writer(runtime.sessions, self.recorder)
        # A batch depends on the one before: it is retried until it is written, whatever the fault is.
        self._background = BackgroundWriter(
            "history",
            runtime.sessions,
            RecorderSource(self.recorder, settings.history_flush_s),
            self._write,
            committed=self._committed,
            prepare=self._writer.recover,
            divisible=False,
        )

    def start(self) -> None:
        """Start the writer; it first recovers the tail of the last process, if the database answers in time."""
        self._background.start(START_S)

    def on_tick(self, sky: Sky) -> None:
        self.recorder.take(sky)

    def close(self) -> None:
        """Write what is pending. Flights stay active: the next start continues those still in the air."""
        self._background.close()

    def _write(self, session: Session, batches: list[Batch]) -> WriteResult:
        (batch,) = batches
        return self._writer.write(session, batch)

    def _committed(self, batches: list[Batch], result: WriteResult) -> None:
        (batch,) = batches
        self._writer.committed(batch, result)


def create(runtime: Runtime) -> HistoryMonitor | None:
    """The monitor that the setting ``history_enabled`` asks for."""
    return HistoryMonitor(runtime) if runtime.settings.of(HistorySettings).history_enabled else None
