"""The live status line of ``skywatch serve``: aircraft, messages a second, receivers.

On a terminal it is rewritten in place once a second; elsewhere it is a plain line now and then.
"""

from __future__ import annotations

import sys
import threading
from types import TracebackType

import msgspec

from skywatch.core.runtime import Runtime
from skywatch.picture.sky import Sky, from_bytes
from skywatch.receivers.base import ReceiverStatus

TERMINAL_EVERY_S, PLAIN_EVERY_S = 1.0, 60.0
FIRST_PLAIN_S = 5.0
_statuses = msgspec.json.Decoder(list[ReceiverStatus])


class StatusLine:
    """Prints the announcement and then the state of the service until left."""

    def __init__(self, runtime: Runtime, announcement: list[str]) -> None:
        self._runtime = runtime
        self._announcement = announcement
        self._stop = threading.Event()
        self._terminal = sys.stdout.isatty()
        self._thread = threading.Thread(target=self._run, name="status-line", daemon=True)

    def __enter__(self) -> StatusLine:
        for line in self._announcement:
            print(line, flush=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(2)
        print("\nStopping." if self._terminal else "Stopping.", flush=True)

    def _run(self) -> None:
        pause = TERMINAL_EVERY_S if self._terminal else FIRST_PLAIN_S
        while not self._stop.wait(pause):
            text = describe(self._runtime)
            if self._terminal:
                print(f"\r\x1b[K{text}", end="", flush=True)
            else:
                print(text, flush=True)
                pause = PLAIN_EVERY_S


def describe(runtime: Runtime) -> str:
    """One line on the state of the picture and its receivers."""
    picture = runtime.bus.last("picture")
    sky: Sky | None = None
    if picture is not None:
        sky = picture.local if picture.local is not None else from_bytes(picture.data)
    message = runtime.bus.last("receivers")
    statuses = _statuses.decode(message.data) if message is not None else []
    connected = sum(status.state == "connected" for status in statuses)
    rate = sum(status.message_rate for status in statuses)
    aircraft = len(sky) if sky is not None else 0
    text = f"{aircraft:,} aircraft · {rate:,.0f} messages/s · {connected} of {len(statuses)} receivers"
    troubled = [f"{s.name}: {s.last_error}" for s in statuses if s.state in ("waiting", "failed") and s.last_error]
    return text + (f" · {troubled[0]}" if troubled else "")
