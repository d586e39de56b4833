"""The child process that decodes recordings with libsndfile: a question is the name of a job and a path, as JSON.

A file may make a decoder in C crash, loop or allocate without end: that costs this process, which holds no secret, has
limits of memory, processor time and open files, and cannot write files.
"""

from __future__ import annotations

import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from skywatch.audio.recordings.activity import has_voice
from skywatch.audio.recordings.measurement import measure
from skywatch.core.problems import Problem
from skywatch.core.process.children import answer_questions
from skywatch.sentences import encodable

# Addresses, not memory in use (bytes): with its libraries and ten minutes of sound it takes some 120 MB.
MEMORY_BYTES = 512_000_000
# Ten minutes of stereo at 96 kHz, the most there is, take some 10 s of a slow processor.
CPU_S = 60
OPEN_FILES = 32

JOBS: dict[str, Callable[[Path], Any]] = {"measure": measure, "has_voice": has_voice}


class Answer(msgspec.Struct, omit_defaults=True):
    """What became of a job: its encoded result, the problem of the file, the system's error, or a fault of ours."""

    result: msgspec.Raw = msgspec.Raw()
    problem: tuple[str, str, str, dict[str, Any]] | None = None
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


def answer(question: bytes) -> bytes:
    """Do one job; its ``Answer`` as JSON."""
    limit_time()
    return msgspec.json.encode(_do(*msgspec.json.decode(question, type=tuple[str, str])))


def _do(job: str, path: str) -> Answer:
    try:
        return Answer(result=msgspec.Raw(msgspec.json.encode(JOBS[job](Path(path)))))
    except Problem as problem:
        return Answer(
            problem=(problem.kind.code, problem.detail, problem.sentence.code, encodable(problem.sentence.params))
        )
    except OSError as error:
        return Answer(system=(error.errno or 0, error.strerror or type(error).__name__))
    except Exception as error:
        return Answer(fault=f"{type(error).__name__}: {error}"[:200])


def main() -> None:
    """Do jobs until the service ends this process."""
    # Here, before the limits: libsndfile is loaded with the first file otherwise.
    import soundfile  # noqa: F401

    limit_process()
    answer_questions(answer)


if __name__ == "__main__":
    main()
