"""Programs on hosts of the drill, each watched over as systemd does it: what ends is started again."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.drills.network import Lan
from tests.waiting import PATIENCE_S

# As the units in deploy/systemd (``RestartSec``).
RESTART_S = 2.0
_LOOK_EVERY_S = 0.1


class Unit:
    """One program on one host; ``user`` is whom it runs as, root if not named."""

    def __init__(
        self, name: str, host: int, command: Sequence[str], log: Path, environment: dict[str, str], user: str = ""
    ) -> None:
        self.name = name
        self.host = host
        self.log = log
        self.is_held = False
        self.starts = 0
        self._command = list(command)
        self._environment = environment
        self._user = user
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, lan: Lan) -> None:
        """Start without waiting."""
        self.is_held = False
        # Without a process in between: the id is that of the program.
        words = ["setpriv", f"--reuid={self._user}", f"--regid={self._user}", "--clear-groups"] if self._user else []
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*lan.inside(self.host), *words, *self._command],
                env=self._environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
            )  # fmt: skip
        self.starts += 1

    @property
    def pid(self) -> int:
        """Of its process."""
        assert self._process is not None
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether its process is there."""
        return self._process is not None and self._process.poll() is None

    def kill(self, *, hold: bool = False) -> None:
        """kill -9; with ``hold`` it is not started again before ``start``."""
        self.is_held = hold
        self.signal(signal.SIGKILL)

    def signal(self, number: int) -> None:
        """Send a signal to its process, where that is there."""
        if self.runs:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def end(self) -> None:
        """Wait until it has ended after a signal; kill it where that takes too long."""
        if self._process is None:
            return
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE_S)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


class Supervisor:
    """Starts again what has ended and is not held."""

    def __init__(self, lan: Lan) -> None:
        self._lan = lan
        self.units: list[Unit] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)
        self._thread.start()

    def add(self, unit: Unit) -> Unit:
        """Start a unit and watch over it."""
        unit.start(self._lan)
        self.units.append(unit)
        return unit

    def release(self, unit: Unit) -> None:
        """Start a unit that was held."""
        unit.start(self._lan)

    def ended(self) -> list[str]:
        """The units that do not run."""
        return [unit.name for unit in self.units if not unit.runs]

    def close(self) -> None:
        """End all, the newest first."""
        self._stop.set()
        self._thread.join()
        for unit in reversed(self.units):
            unit.signal(signal.SIGTERM)
            unit.signal(signal.SIGCONT)
        for unit in reversed(self.units):
            unit.end()

    def _run(self) -> None:
        due: dict[Unit, float] = {}
        while not self._stop.wait(_LOOK_EVERY_S):
            for unit in list(self.units):
                if unit.runs or unit.is_held:
                    due.pop(unit, None)
                elif time.monotonic() >= due.setdefault(unit, time.monotonic() + RESTART_S):
                    del due[unit]
                    unit.start(self._lan)
