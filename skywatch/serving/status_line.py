"""The live status line of ``skywatch serve``: aircraft, messages a second, receivers.

On a terminal it is rewritten in place once a second; elsewhere it is a plain line now and then.
"""

from __future__ import annotations

import contextlib
import sys
from types import TracebackType

import msgspec

from skywatch.core.process.periodic import WorkerThread
from skywatch.core.runtime import Runtime
from skywatch.core.text.escapes import escape_controls
from skywatch.picture.distribution.statistics import TrackerStatistics
from skywatch.receivers.base import published_receivers

TERMINAL_EVERY_S, PLAIN_EVERY_S = 1.0, 60.0
FIRST_PLAIN_S = 5.0
_statistics = msgspec.json.Decoder(TrackerStatistics)


class StatusLine:
    """Prints the announcement and then the state of the service until left."""

    def __init__(self, runtime: Runtime, announcement: list[str]) -> None:
        self._runtime = runtime
        self._announcement = announcement
        self._terminal = sys.stdout.isatty()
        self._worker = WorkerThread("status-line", self._show, self._fail)

    def __enter__(self) -> StatusLine:
        for line in self._announcement:
            write(f"{line}\n")
        self._worker.start(TERMINAL_EVERY_S if self._terminal else FIRST_PLAIN_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._worker.close(2.0)
        write("\nStopping.\n" if self._terminal else "Stopping.\n")

    def _show(self) -> float:
        return self._write(describe(self._runtime))

    def _fail(self, error: Exception) -> float:
        # Only a display: faults (the bus, an invalid message) are reported elsewhere.
        return self._write(f"the state is unavailable: {error}")

    def _write(self, text: str) -> float:
        write(f"\r\x1b[K{text}" if self._terminal else f"{text}\n")
        return TERMINAL_EVERY_S if self._terminal else PLAIN_EVERY_S


def write(text: str) -> None:
    """Print, even if the terminal's character set lacks characters or the reader of the output has gone."""
    encoding = sys.stdout.encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.replace(" · ", " - ").encode(encoding, "backslashreplace").decode(encoding)
    with contextlib.suppress(OSError):
        sys.stdout.write(text)
        sys.stdout.flush()


def describe(runtime: Runtime) -> str:
    """One line on the state of the picture and its receivers."""
    tracker = runtime.bus.last("tracker")
    aircraft = _statistics.decode(tracker.data).aircraft if tracker is not None else 0
    statuses = published_receivers(runtime.bus)
    connected = sum(status.is_active for status in statuses)
    rate = sum(status.message_rate for status in statuses)
    text = f"{aircraft:,} aircraft · {rate:,.0f} messages/s · {connected} of {len(statuses)} receivers"
    faulty = [f"{s.name}: {s.last_error}" for s in statuses if s.state in ("waiting", "failed") and s.last_error]
    return text + (f" · {escape_controls(faulty[0])}" if faulty else "")
