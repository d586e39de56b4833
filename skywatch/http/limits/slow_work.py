"""Slow work that requests wait for: at most so many at once of each kind, divided by person; and its deadline.

Each occupies a thread of the API, most of them a processor as well. A quarter of the threads stays free of all of it.
"""

from __future__ import annotations

import threading

from pyramid.config import Configurator

from skywatch.core.limits import ConcurrencyLimiter, Refused, SlowThreads
from skywatch.core.problems import Problem
from skywatch.core.process.deadline import Deadline
from skywatch.core.runtime import Runtime, runtime_of
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings
from skywatch.sentences import Sentence, sentence


def slow_threads(runtime: Runtime) -> SlowThreads:
    """Return the threads of the API that slow work may occupy; one object for an application (``runtime.shared``)."""
    return SlowThreads.of_all(runtime.settings.of(HttpSettings).api_threads)


def slow_work(
    runtime: Runtime,
    name: str,
    one: Sentence,
    many: Sentence,
    *,
    at_once: int,
    wait_s: float,
    retry_after_s: int = 2,
) -> ConcurrencyLimiter:
    """Create the limiter of one kind of slow work, by ``request.person``; it raises Problem (503).

    ``one`` and ``many`` are the words of its refusals. The function that calls this is what views share.
    """

    def refusal(refused: Refused) -> Problem:
        if refused.is_own:
            detail = sentence(
                "work.another_of_yours",
                "Another {work} of yours is running; try again when it has ended.",
                work=one,
            )
        else:
            detail = sentence(
                "work.others",
                "Other {work} are running (at most {most} at once); try again in a moment.",
                work=many,
                most=refused.limiter.at_once,
            )
        return Problem("unavailable", detail, headers={"Retry-After": str(retry_after_s)})

    return ConcurrencyLimiter(name, at_once, wait_s=wait_s, threads=runtime.shared(slow_threads), refusal=refusal)


def statistics_limiter(runtime: Runtime) -> ConcurrencyLimiter:
    """Create the limiter of counts of everything that is stored, of whichever feature."""
    return slow_work(
        runtime,
        "statistics",
        sentence("work.statistics", "query for statistics"),
        sentence("work.many_statistics", "queries for statistics"),
        at_once=4,
        wait_s=10.0,
    )


def deadline_of(request: Request, what: Sentence, seconds: float, turn: threading.Lock) -> Deadline:
    """A deadline that begins now, and that ends as well when the client closes its connection."""
    return Deadline(what, seconds, request.environ.get("waitress.client_disconnected", _stays), turn)


def _stays() -> bool:
    """For servers that cannot look."""
    return False


def includeme(config: Configurator) -> None:
    """Create the limiter with the application, so that health has it from the start."""
    runtime_of(config.registry).shared(statistics_limiter)
