"""Cross-origin requests: the headers that let pages of allowed origins call the API (CORS)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyramid.response import Response

from skywatch.core.runtime import runtime_of
from skywatch.http.clients.origins import allowed_origins
from skywatch.http.requests.headers import add_vary
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings
from skywatch.security.area import area_of

Handler = Callable[[Request], Response]
METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
REQUEST_HEADERS = (
    "Authorization, Content-Type, If-None-Match, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Range, "
    "X-API-Key, X-Request-ID"
)
EXPOSED_HEADERS = (
    "Allow, Content-Disposition, Content-Range, ETag, Location, Retry-After, WWW-Authenticate, "
    "X-Picture-Age, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-ID"
)
PREFLIGHT_MAX_AGE_S = 600


def cors_tween(handler: Handler, registry: Any) -> Handler:
    """Answer preflights and mark responses for the origins that the settings allow."""
    runtime = runtime_of(registry)
    settings, origins = runtime.settings.of(HttpSettings), runtime.shared(allowed_origins)

    def tween(request: Request) -> Response:
        if area_of(request) is not None:
            return handler(request)
        origin = request.environ.get("HTTP_ORIGIN")
        preflight = request.method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.environ
        is_allowed = origins.may_read(origin)
        response = Response(status=204) if preflight and is_allowed else handler(request)
        if not settings.cors_allow_all_origins:
            add_vary(response, "Origin")
        if is_allowed:
            headers = response.headers
            headers["Access-Control-Allow-Origin"] = "*" if settings.cors_allow_all_origins else origin
            if settings.cors_allow_credentials and origins.is_listed(origin):
                headers["Access-Control-Allow-Credentials"] = "true"
            if preflight:
                headers["Access-Control-Allow-Methods"] = METHODS
                headers["Access-Control-Allow-Headers"] = REQUEST_HEADERS
                headers["Access-Control-Max-Age"] = str(PREFLIGHT_MAX_AGE_S)
            else:
                headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
        return response

    return tween
