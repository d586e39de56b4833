"""Child processes that answer questions: one of them, or a pool of those that wait for the next question.

A question and its answer are frames: their length (8 bytes, big endian) and that many bytes. A child is told everything
on its standard input, so that no secret is in an argument, and ends with its input, so that none outlives its parent.
"""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

_LENGTH = struct.Struct(">Q")
# How long a child of a pool waits for a question before it is ended (s).
IDLE_S = 60.0


class ChildEnded(Exception):
    """The child ended without an answer; says how."""


class ChildLate(ChildEnded):
    """The child did not answer in time, and was ended."""


class FrameError(ValueError):
    """A frame is longer than it may be."""


def write_frame(stream: IO[bytes], data: bytes) -> None:
    """Write one frame."""
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes], max_bytes: int | None = None) -> bytes | None:
    """The content of one frame, None at the end of the stream; raises FrameError."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if max_bytes is not None and length > max_bytes:
        raise FrameError(f"a frame of {length} bytes is too long")
    data = stream.read(length)
    return data if len(data) == length else None


def answer_questions(answer: Callable[[bytes], bytes]) -> None:
    """What a child does: answer questions until its input ends. What else is printed goes to stderr."""
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        while (question := read_frame(sys.stdin.buffer)) is not None:
            write_frame(answers, answer(question))


def inherited(names: Sequence[str]) -> dict[str, str]:
    """The variables of this process's environment that have these names: a child gets no other."""
    return {name: os.environ[name] for name in names if name in os.environ}


class Child:
    """One child process; one thread at a time asks it.

    Args:
        opening: a first frame, which is not answered.
        max_answer: the longest answer that is read (bytes).

    Raises:
        OSError: the program cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        folder: str | Path | None = None,
        opening: bytes | None = None,
        max_answer: int | None = None,
    ) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - an interpreter and a module of ours
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            cwd=folder,
        )
        self._max_answer = max_answer
        self.used_at = time.monotonic()
        if opening is not None:
            self._send(opening)

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def ask(self, question: bytes, within_s: float | None = None) -> bytes:
        """The answer; raises ChildLate or ChildEnded, after which the child is gone."""
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            self.kill()

        timer = threading.Timer(within_s, end) if within_s is not None else None
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            self._send(question)
            answer = self._read()
        except ChildEnded:
            if is_late.is_set():
                raise ChildLate("it did not answer in time") from None
            raise
        finally:
            if timer is not None:
                timer.cancel()
        self.used_at = time.monotonic()
        return answer

    def kill(self) -> None:
        """End it, from any thread: who waits for an answer gets ``ChildEnded``."""
        with suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        """End it, whatever it is doing, and give back its pipes."""
        self.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        # Where it has ended, or is closed, reading from it says so.
        with suppress(OSError, ValueError):
            write_frame(self._process.stdin, data)

    def _read(self) -> bytes:
        assert self._process.stdout is not None
        if self._process.stdout.closed:
            raise ChildEnded("it had ended")
        try:
            answer = read_frame(self._process.stdout, self._max_answer)
        except FrameError as error:
            self.close()
            raise ChildEnded(str(error)) from None
        if answer is None:
            # Its end is a moment later than that of its output.
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(1.0)
            code = self._process.poll()
            self.close()
            raise ChildEnded("it closed its output" if code is None else _how_it_ended(code))
        return answer


class ChildPool:
    """Children that wait for the next question: to start one takes longer than most answers. Safe in any thread."""

    def __init__(self, start: Callable[[], Child], idle_s: float = IDLE_S) -> None:
        self._start = start
        self._idle_s = idle_s
        self._idle: list[Child] = []
        self._lock = threading.Lock()
        self._is_closed = self._has_timer = False

    @contextmanager
    def lend(self) -> Iterator[Child]:
        """A child that waits, or a new one; it waits again unless it was closed or an error was raised."""
        child = self._take()
        try:
            yield child
        except BaseException:
            child.close()
            raise
        self._give_back(child)

    def close(self) -> None:
        """End all that wait; one at work is ended when it has answered."""
        with self._lock:
            self._is_closed = True
            while self._idle:
                self._idle.pop().close()

    def _take(self) -> Child:
        with self._lock:
            self._end_old()
            while self._idle:
                child = self._idle.pop()
                if child.is_alive:
                    return child
                child.close()
        return self._start()

    def _give_back(self, child: Child) -> None:
        with self._lock:
            self._end_old()
            if child.is_alive and not self._is_closed:
                self._idle.append(child)
                self._look_later()
                return
        child.close()

    def _look_later(self) -> None:
        """Look once more for those that nobody asks; one timer does so for all."""
        if self._idle and not self._has_timer:
            self._has_timer = True
            timer = threading.Timer(self._idle_s + 0.1, self._look)
            timer.daemon = True
            timer.start()

    def _look(self) -> None:
        with self._lock:
            self._has_timer = False
            self._end_old()
            self._look_later()

    def _end_old(self) -> None:
        oldest = time.monotonic() - self._idle_s
        for child in [child for child in self._idle if child.used_at < oldest]:
            self._idle.remove(child)
            child.close()


def _how_it_ended(code: int) -> str:
    if code >= 0:
        return f"it ended with exit code {code}"
    try:
        return f"it was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was ended by signal {-code}"
