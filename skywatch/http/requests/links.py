"""The base of the addresses that responses name."""

from __future__ import annotations

from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings


def link_base(request: Request) -> str:
    """The base of links: the public address, or else the address of the request; both with the path prefix.

    Without a host, so that links are relative, if the request has no Host (HTTP/1.0 does not require it).
    """
    public = public_address(request)
    return public or (request.host_url if request.environ.get("HTTP_HOST") else "") + request.path_prefix


def public_address(request: Request) -> str:
    """``base_url`` with the path prefix of the request; empty where ``base_url`` is not set."""
    base_url: str = request.runtime.settings.of(HttpSettings).base_url.rstrip("/")
    return base_url.removesuffix(request.path_prefix) + request.path_prefix if base_url else ""
