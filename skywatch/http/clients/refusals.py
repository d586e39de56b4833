"""Audit entries for changes that a rule refuses, whichever door they came through."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from skywatch.core.problems import Problem
from skywatch.core.storing.audit import Actor, Target, record_apart
from skywatch.http.clients.actor import actor_of
from skywatch.http.requests.request import Request

AUDITED_REFUSALS = (403, 409)


@contextmanager
def recording_refusals(request: Request, action: str, target: Target | None = None) -> Iterator[Actor]:
    """Run a change for the sender of a request; a refusal (403, 409) leaves the entry ``<action>.refused``.

    The entry is written after the request's own transaction, which the refusal rolls back.
    """
    actor = actor_of(request)
    try:
        yield actor
    except Problem as problem:
        if problem.kind.status in AUDITED_REFUSALS:
            after = {"code": problem.kind.code, "detail": problem.detail}
            sessions = request.runtime.sessions
            request.add_finished_callback(
                lambda _: record_apart(sessions, actor, f"{action}.refused", target, after=after)
            )
        raise
