"""The child process that decodes recordings with libsndfile: an order a line on standard input, an answer a line.

A file may make a decoder in C crash, loop or allocate without end: that costs this process, which holds no secret and
has limits of memory, processor time and open files, cannot write files, and ends when nobody has asked for a while.
"""

from __future__ import annotations

import os
import resource
import selectors
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from skywatch.audio.recordings.activity import has_voice
from skywatch.audio.recordings.measurement import measure
from skywatch.core.problems import Problem

# Addresses, not memory in use (bytes): with its libraries and ten minutes of sound it takes some 120 MB.
MEMORY_BYTES = 512_000_000
# Ten minutes of stereo at 96 kHz, the most there is, take some 10 s of a slow processor.
CPU_S = 60
OPEN_FILES = 32
IDLE_S = 60.0
MAX_ORDER = 65_536

JOBS: dict[str, Callable[[Path], Any]] = {"measure": measure, "has_voice": has_voice}


class Answer(msgspec.Struct, omit_defaults=True):
    """What became of a job: its encoded result, the problem of the file, the system's error, or a fault of ours."""

    result: msgspec.Raw = msgspec.Raw()
    problem: tuple[str, str] | None = None
    system: tuple[int, str] | None = None
    fault: str = ""


def limit_process() -> None:
    """Bound what the process may take; for as long as it lives."""
    # The service decides when it ends: what it has begun is finished while the service stops.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for kind, value in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
    ):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


def limit_time() -> None:
    """Let the next job take ``CPU_S`` of the processor; beyond it the system ends the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until, hard = int(used.ru_utime + used.ru_stime) + CPU_S + 1, resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (until if hard == resource.RLIM_INFINITY else min(until, hard), hard))


def answer(order: bytes) -> Answer:
    """Do one job."""
    name, path = msgspec.json.decode(order, type=tuple[str, str])
    try:
        return Answer(result=msgspec.Raw(msgspec.json.encode(JOBS[name](Path(path)))))
    except Problem as problem:
        return Answer(problem=(problem.kind.code, problem.detail))
    except OSError as error:
        return Answer(system=(error.errno or 0, error.strerror or type(error).__name__))
    except Exception as error:
        return Answer(fault=f"{type(error).__name__}: {error}"[:200])


def main() -> None:
    """Answer orders until the service ends or is idle."""
    # Here, before the limits: libsndfile is loaded with the first file otherwise.
    import soundfile  # noqa: F401

    orders, answers = sys.stdin.fileno(), os.dup(sys.stdout.fileno())
    os.dup2(2, 1)  # A library that prints must not spoil an answer.
    limit_process()
    with selectors.DefaultSelector() as waiting:
        waiting.register(orders, selectors.EVENT_READ)
        while waiting.select(IDLE_S):
            order = os.read(orders, MAX_ORDER)
            if not order:
                return
            limit_time()
            os.write(answers, msgspec.json.encode(answer(order)) + b"\n")


if __name__ == "__main__":
    main()
