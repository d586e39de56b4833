"""Decodes recordings in child processes (``recordings.child``): what a file does to a decoder happens to it alone.

A child serves one file after the other: loading the libraries takes longer than decoding most transmissions. It is
ended where it does not answer in time, and another one takes its place.
"""

from __future__ import annotations

import atexit
import functools
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from skywatch.audio.recordings.child import Answer
from skywatch.audio.recordings.measurement import Measured
from skywatch.core.limits import ConcurrencyLimiter
from skywatch.core.problems import Problem
from skywatch.core.process.children import IDLE_S, Child, ChildEnded, ChildPool, inherited
from skywatch.sentences import Sentence, decoded, sentence

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


class DecoderPool:
    """The children; safe to use from any thread."""

    def __init__(self, command: Sequence[str] = CHILD, longest_s: float = MAX_S, idle_s: float = IDLE_S) -> None:
        self._command, self._longest_s = command, longest_s
        self._limiter = ConcurrencyLimiter(
            "recordings", MAX_CHILDREN, wait_s=longest_s, is_short=True, refusal=lambda _: _busy()
        )
        self._children = ChildPool(self._start, idle_s)

    def ask(self, job: str, path: Path, person: str = "") -> bytes:
        """The encoded result of a job; raises Problem (413, 415; 503 where no child is free or starts) or OSError."""
        question = msgspec.json.encode((job, os.fspath(path.absolute())))
        try:
            with self._limiter.turn(person), self._children.lend() as child:
                answer = msgspec.json.decode(child.ask(question, self._longest_s), type=Answer)
        except ChildEnded as ended:
            log.warning("the decoder gave no answer (%s): %s is refused", ended, path.name)
            raise _undecodable() from None
        if answer.problem is not None:
            kind, text, code, params = answer.problem
            raise Problem(kind, Sentence(text, code, decoded(params)))
        if answer.system is not None:
            raise OSError(*answer.system)
        if answer.fault:
            log.warning("the decoder failed (%s): %s is refused", answer.fault, path.name)
            raise _undecodable()
        return bytes(answer.result)

    def close(self) -> None:
        """End the children that are idle."""
        self._children.close()

    def _start(self) -> Child:
        try:
            return Child(self._command, ENVIRONMENT | inherited(["PATH"]), max_answer=MAX_ANSWER)
        except OSError as error:
            raise Problem(
                "unavailable",
                sentence("audio.decoder_not_started", "The decoder cannot be started: {error}.", error=error.strerror),
            ) from None


@functools.cache
def _pool() -> DecoderPool:
    """The pool of this process."""
    pool = DecoderPool()
    atexit.register(pool.close)
    return pool


def _busy() -> Problem:
    return Problem(
        "unavailable", sentence("audio.decoder_busy", "Other recordings are being decoded; try again later.")
    )


def _undecodable() -> Problem:
    return Problem("unsupported_media_type", sentence("audio.cannot_decode", "The file cannot be decoded."))
