"""Which requests want their answer packed."""

from __future__ import annotations

from skywatch.http.request import Request


def takes_gzip(request: Request) -> bool:
    """Whether the client names gzip among what it takes; a client that names nothing may not know how to unpack it."""
    named = "gzip" in request.headers.get("Accept-Encoding", "").lower()
    return named and bool(request.accept_encoding.acceptable_offers(["gzip"]))
