"""Runs the child processes that read the archive, and ends one that takes too long.

A child that has answered waits for the next question: to start one takes longer than most answers.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec

from skywatch.archive.reader.questions import Answer, Opening, Question, read_frame, write_frame

# How long a child waits for a question before it is ended (s).
IDLE_S = 60.0
# A child inherits these variables and no others: certificates and proxies of S3, and what the interpreter needs.
INHERITED = ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "TMPDIR", "SYSTEMROOT", "HOME")
COMMAND = [sys.executable, "-m", "skywatch.archive.reader.child"]


class OutOfTime(Exception):
    """The child did not answer in time."""


class Ended(Exception):
    """The child ended without an answer: it had no memory left, or was killed."""


class Child:
    """One child process; used by one thread at a time."""

    def __init__(self, opening: Any, command: Sequence[str] = ()) -> None:
        """``command`` runs another module that answers frames, to whom ``opening`` is sent first."""
        environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
            command or COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment | {"AWS_EC2_METADATA_DISABLED": "true", "OMP_NUM_THREADS": "1"},
            close_fds=True,
        )
        self.used_at = time.monotonic()
        self._send(opening)

    def ask(self, question: Question, within_s: float) -> Answer:
        """The answer; raises OutOfTime or Ended, after which the child is gone."""
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            self._process.kill()

        timer = threading.Timer(within_s, end)
        timer.daemon = True
        timer.start()
        try:
            return msgspec.msgpack.decode(self.exchange(question), type=Answer)
        except Ended:
            if is_late.is_set():
                raise OutOfTime from None
            raise
        finally:
            timer.cancel()

    def exchange(self, message: Any) -> bytes:
        """The frame that answers a message, however long it takes; raises Ended, after which the child is gone."""
        self._send(message)
        assert self._process.stdout is not None
        data = read_frame(self._process.stdout)
        if data is None:
            self.close()
            raise Ended
        self.used_at = time.monotonic()
        return data

    def kill(self) -> None:
        """End it from another thread: who waits for an answer gets ``Ended``."""
        with suppress(OSError):
            self._process.kill()

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        try:
            write_frame(self._process.stdin, message)
        except OSError:
            # It has ended: reading from it says so.
            return

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue


class Children:
    """The children of this process that wait for questions."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._idle: list[Child] = []
        self._lock = threading.Lock()
        self._is_closed = False

    def take(self) -> Child:
        """A child that waits, or a new one."""
        with self._lock:
            self._end_old()
            while self._idle:
                child = self._idle.pop()
                if child.is_alive:
                    return child
                child.close()
        return Child(self._opening)

    def give_back(self, child: Child) -> None:
        """Let a child that has answered wait for the next question."""
        with self._lock:
            self._end_old()
            if child.is_alive and not self._is_closed:
                self._idle.append(child)
                timer = threading.Timer(IDLE_S + 1, self._end_idle)
                timer.daemon = True
                timer.start()
                return
        child.close()

    def close(self) -> None:
        """End all that wait."""
        with self._lock:
            self._is_closed = True
            while self._idle:
                self._idle.pop().close()

    def _end_idle(self) -> None:
        with self._lock:
            self._end_old()

    def _end_old(self) -> None:
        oldest = time.monotonic() - IDLE_S
        for child in [child for child in self._idle if child.used_at < oldest]:
            self._idle.remove(child)
            child.close()
