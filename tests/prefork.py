"""Processes of ``skywatch`` without the seconds that an interpreter and its imports take.

More than half of the processor time of a start goes into imports, hundreds of times in a run of the tests. Here each
process of the tests has one that has imported everything (``tests.prefork_server``), and what is started is a fork of
it: a process with memory, files, signals and an exit code of its own. It is not for tests of what is imported, of
memory and of the very start: those start Python (``tests.processes.SKYWATCH``).
"""

from __future__ import annotations

import array
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from tests import shortcuts
from tests.prefork_server import MAX_BYTES
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parent.parent


class ForkedProcess:
    """A running command; the part of ``subprocess.Popen`` that tests use."""

    def __init__(self, server: _Server, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdout: IO[str] | None = None
        self._server = server

    def poll(self) -> int | None:
        """The exit code (negative: the signal), None while it runs."""
        if self.returncode is None:
            self.returncode = self._server.code_of(self.pid, None)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code; raises ``subprocess.TimeoutExpired`` after ``timeout`` seconds."""
        if self.returncode is None:
            self.returncode = self._server.code_of(self.pid, PATIENCE_S * 10 if timeout is None else timeout)
            if self.returncode is None:
                raise subprocess.TimeoutExpired("skywatch", timeout or 0.0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            # As `subprocess` does: it may end between the question and the signal.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


class _Server:
    """The process that forks, and what it has reported; one for each process of the tests."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._channel, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "tests.prefork_server", str(other.fileno())]
        self._process = subprocess.Popen(command, env=dict(environment), cwd=ROOT, pass_fds=[other.fileno()])
        other.close()
        self._starting = threading.Lock()
        self._changed = threading.Condition()
        self._started: list[int] = []
        self._codes: dict[int, int] = {}
        self.processor_s = 0.0
        self._is_gone = False
        threading.Thread(target=self._read, name="prefork", daemon=True).start()

    def start(self, request: dict[str, Any], files: Sequence[int]) -> ForkedProcess:
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))
        with self._starting, self._changed:
            self._channel.sendmsg([json.dumps(request).encode()], [rights])
            assert self._changed.wait_for(lambda: self._started or self._is_gone, 10 * PATIENCE_S)
            assert self._started, "the process that forks has ended"
            return ForkedProcess(self, self._started.pop())

    def code_of(self, pid: int, timeout_s: float | None) -> int | None:
        """The exit code of a process that was started; None where it has not ended in time."""
        with self._changed:
            if timeout_s is not None:
                self._changed.wait_for(lambda: pid in self._codes or self._is_gone, timeout_s)
            assert pid in self._codes or not self._is_gone, "the process that forks has ended"
            return self._codes.get(pid)

    def _read(self) -> None:
        while report := self._receive():
            with self._changed:
                if "code" in report:
                    self._codes[report["pid"]] = report["code"]
                    self.processor_s += report["processor_s"]
                else:
                    self._codes.pop(report["pid"], None)
                    self._started.append(report["pid"])
                self._changed.notify_all()
        with self._changed:
            self._is_gone = True
            self._changed.notify_all()

    def _receive(self) -> dict[str, Any]:
        data = self._channel.recv(MAX_BYTES)
        report: dict[str, Any] = json.loads(data) if data else {}
        return report


_servers: dict[int, _Server] = {}


def processor_s() -> float:
    """User and system time of the processes that were started here and have ended."""
    server = _servers.get(os.getpid())
    return server.processor_s if server is not None else 0.0


def start(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    files: Sequence[IO[Any] | int],
    module: str = "skywatch",
) -> ForkedProcess | subprocess.Popen[bytes]:
    """Start `python -m MODULE ARGUMENTS` with these standard files, in the folder of this process."""
    if not shortcuts.taken:
        given, output, errors = files
        command = [sys.executable, "-m", module, *arguments]
        return subprocess.Popen(command, env=dict(environment), stdin=given, stdout=output, stderr=errors)
    # A process that was forked from this one has another.
    if os.getpid() not in _servers:
        _servers[os.getpid()] = _Server(environment)
    request = {
        "module": module,
        "arguments": list(arguments),
        "environment": dict(environment),
        "folder": os.getcwd(),
    }
    numbers = [file if isinstance(file, int) else file.fileno() for file in files]
    return _servers[os.getpid()].start(request, numbers)


def start_module(module: str, *arguments: str, environment: Mapping[str, str]) -> ForkedProcess:
    """Start `python -m MODULE ARGUMENTS` without input; what it prints is read from ``stdout``."""
    reading, writing = os.pipe()
    try:
        with open(os.devnull, "rb") as nothing:
            process = start(arguments, environment, [nothing, writing, 2], module)
    finally:
        os.close(writing)
    process.stdout = os.fdopen(reading)
    return process
