"""The actor of a request for the audit log, and the entries for changes that a rule refuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Actor, Target, record_apart
from skywatch.http.requests.request import Request

AUDITED_REFUSALS = (403, 409)


def actor_of(request: Request) -> Actor:
    """The actor of a request; ``anonymous`` without an identity."""
    identity = request.identity
    return Actor(
        identity.username if identity is not None else "",
        identity.method if identity is not None else "anonymous",
        identity.user_id if identity is not None else None,
        request.client_address,
        request.request_id,
    )


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
