"""Decodes recordings in child processes (``recordings.child``): what a file does to a decoder happens to it alone.

A child serves one file after the other: loading the libraries takes longer than decoding most transmissions. It is
ended where it does not answer in time, and another one takes its place.
"""

from __future__ import annotations

import atexit
import functools
import logging
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from skywatch.audio.recordings.child import Answer
from skywatch.audio.recordings.measurement import Measured
from skywatch.core.limits import ConcurrencyLimiter, Refused
from skywatch.core.problems import Problem

log = logging.getLogger(__name__)
CHILD = (sys.executable, "-I", "-m", "skywatch.audio.recordings.child")
# Longer than the child's limit of processor time on a machine that has more to do (s).
MAX_S = 180.0
# Children at work at once; callers beyond wait for one.
MAX_CHILDREN = max(1, min(4, os.cpu_count() or 1))
# No settings and no secrets of the service; one thread each.
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
MAX_ANSWER = 65_536


def measure(path: Path, person: str = "") -> Measured:
    """Recognise and measure a file; raises Problem (413 too long, 415 no sound that can be decoded), OSError.

    ``person`` is who has sent it: while others wait, nobody has all children.
    """
    return msgspec.json.decode(_pool().ask("measure", path, person), type=Measured)


def has_voice(path: Path) -> bool:
    """Whether a recording holds speech; raises Problem (415) or OSError where it cannot be decoded or read."""
    return msgspec.json.decode(_pool().ask("has_voice", path), type=bool)


class ChildEnded(Exception):
    """The child gave no answer; ``was_idle``: it had ended by itself before it was asked."""

    def __init__(self, reason: str, *, was_idle: bool = False) -> None:
        super().__init__(reason)
        self.was_idle = was_idle


class _Child:
    """One child process."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter and a module of ours
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={**ENVIRONMENT, "PATH": os.environ.get("PATH", os.defpath)},
        )

    def ask(self, order: bytes, longest_s: float) -> bytes:
        """The line that answers an order; raises ChildEnded."""
        pipe: Any = self._process.stdin
        try:
            pipe.write(order)
        except OSError:
            raise ChildEnded("it had ended", was_idle=True) from None
        return self._read(time.monotonic() + longest_s)

    def _read(self, deadline: float) -> bytes:
        pipe: Any = self._process.stdout
        line = b""
        with selectors.DefaultSelector() as waiting:
            waiting.register(pipe, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if not waiting.select(max(0.0, deadline - time.monotonic())):
                    raise ChildEnded("it did not answer in time")
                data = pipe.read(MAX_ANSWER)
                if not data:
                    code = self._process.wait()
                    raise ChildEnded(_words(code), was_idle=code == 0 and not line)
                line += data
        return line

    def close(self) -> None:
        """End it, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


class DecoderPool:
    """The children; safe to use from any thread."""

    def __init__(self, command: Sequence[str] = CHILD, longest_s: float = MAX_S) -> None:
        self._command, self._longest_s = command, longest_s
        self._limiter = ConcurrencyLimiter("recordings", MAX_CHILDREN, wait_s=longest_s, is_short=True)
        self._idle: list[_Child] = []

    def ask(self, job: str, path: Path, person: str = "") -> bytes:
        """The encoded result of a job; raises Problem (413, 415; 503 where no child is free or starts) or OSError."""
        try:
            with self._limiter.turn(person):
                answer = self._answer(msgspec.json.encode((job, os.fspath(path.absolute()))))
        except Refused:
            raise Problem("unavailable", "Other recordings are being decoded; try again later.") from None
        except ChildEnded as ended:
            log.warning("the decoder gave no answer (%s): %s is refused", ended, path.name)
            raise _undecodable() from None
        if answer.problem is not None:
            raise Problem(*answer.problem)
        if answer.system is not None:
            raise OSError(*answer.system)
        if answer.fault:
            log.warning("the decoder failed (%s): %s is refused", answer.fault, path.name)
            raise _undecodable()
        return bytes(answer.result)

    def close(self) -> None:
        """End the children that are idle."""
        while self._idle:
            self._idle.pop().close()

    def _answer(self, order: bytes) -> Answer:
        while True:
            try:
                child, is_new = self._idle.pop(), False
            except IndexError:
                child, is_new = self._start(), True
            try:
                answer = msgspec.json.decode(child.ask(order, self._longest_s), type=Answer)
            except ChildEnded as ended:
                child.close()
                if is_new or not ended.was_idle:
                    raise
            except BaseException:
                child.close()
                raise
            else:
                self._idle.append(child)
                return answer

    def _start(self) -> _Child:
        try:
            return _Child(self._command)
        except OSError as error:
            raise Problem("unavailable", f"The decoder cannot be started: {error.strerror}.") from None


@functools.cache
def _pool() -> DecoderPool:
    """The pool of this process."""
    pool = DecoderPool()
    atexit.register(pool.close)
    return pool


def _undecodable() -> Problem:
    return Problem("unsupported_media_type", "The file cannot be decoded.")


def _words(code: int) -> str:
    if code >= 0:
        return f"it ended with exit code {code}"
    try:
        return f"it was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was ended by signal {-code}"
