"""A WSGI application that does nothing but return an answer of the size and with the head of the profile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.peers.served import serve

BODY = b"x" * int(os.environ.get("BENCH_BYTES", "429"))
HEAD = [
    ("Content-Type", "application/json"),
    ("Content-Length", str(len(BODY))),
    ("Cache-Control", "no-store"),
    ("Vary", "Accept-Encoding, Origin"),
    ("X-RateLimit-Limit", "100000000"),
    ("X-RateLimit-Remaining", "99999999"),
    ("X-RateLimit-Reset", "1795000000"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Permissions-Policy", "camera=(), geolocation=(self), microphone=()"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("X-Request-ID", "0123456789abcdef"),
]


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The answer."""
    start_response("200 OK", list(HEAD))
    return [BODY]


def _hardened(app: Any) -> Any:
    from skywatch.features import load
    from skywatch.http.settings import HttpSettings
    from skywatch.serving.web_server.api_server import create_server

    ini = {"environment": "development", "listen": f"127.0.0.1:{os.environ['BENCH_PORT']}"}
    server = create_server(app, load(ini, {}).of(HttpSettings))
    server.adj.body_limits.form_fields = {}
    return server


if __name__ == "__main__":
    serve(lambda: application, _hardened)
