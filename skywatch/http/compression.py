"""Which requests accept compressed responses."""

from __future__ import annotations

from skywatch.http.request import Request


def takes_gzip(request: Request) -> bool:
    """Whether the client accepts gzip; without Accept-Encoding it may not be able to decompress."""
    is_named = "gzip" in request.headers.get("Accept-Encoding", "").lower()
    return is_named and bool(request.accept_encoding.acceptable_offers(["gzip"]))
