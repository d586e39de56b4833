"""The actor of a request, for the audit log."""

from __future__ import annotations

from skywatch.core.storing.audit import Actor
from skywatch.http.requests.request import Request


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
