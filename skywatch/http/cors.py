"""Cross-origin requests: which pages may call the API, and which origins an unsafe cookie request may come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from pyramid.request import Request
from pyramid.response import Response

from skywatch.http.headers import add_vary
from skywatch.security.area import area_of
from skywatch.settings import Settings

Handler = Callable[[Request], Response]
METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
REQUEST_HEADERS = "Authorization, Content-Type, If-None-Match, Range, X-API-Key, X-Request-ID"
EXPOSED_HEADERS = (
    "Content-Disposition, Content-Range, ETag, Retry-After, "
    "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-ID"
)
PREFLIGHT_MAX_AGE_S = 600


def cors_tween(handler: Handler, registry: Any) -> Handler:
    """Answer preflights and mark responses for the origins that the settings allow."""
    settings: Settings = registry["runtime"].settings

    def tween(request: Request) -> Response:
        if area_of(request) is not None:
            return handler(request)
        origin = request.headers.get("Origin")
        preflight = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        allowed = origin is not None and allows(settings, origin)
        response = Response(status=204) if preflight and allowed else handler(request)
        if not settings.cors_allow_all_origins:
            add_vary(response, "Origin")
        if allowed:
            headers = response.headers
            headers["Access-Control-Allow-Origin"] = "*" if settings.cors_allow_all_origins else origin
            if settings.cors_allow_credentials:
                headers["Access-Control-Allow-Credentials"] = "true"
            if preflight:
                headers["Access-Control-Allow-Methods"] = METHODS
                headers["Access-Control-Allow-Headers"] = REQUEST_HEADERS
                headers["Access-Control-Max-Age"] = str(PREFLIGHT_MAX_AGE_S)
            else:
                headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
        return response

    return tween


def allows(settings: Settings, origin: str) -> bool:
    """Whether pages of an origin may call the API."""
    return settings.cors_allow_all_origins or origin.lower() in settings.cors_allowed_origins


def is_own_or_allowed(request: Request, origin: str | None) -> bool:
    """Whether an origin may send requests that a cookie proves: the service's own, or one that the settings list."""
    if not origin:
        return False
    settings: Settings = request.runtime.settings
    return is_own(request, origin) or origin.lower() in settings.cors_allowed_origins


def is_own(request: Request, origin: str | None) -> bool:
    """Whether an origin is the service's own."""
    base_url = request.runtime.settings.base_url
    return bool(origin) and str(origin).lower() == (origin_of(base_url) if base_url else request.host_url.lower())


def origin_of(url: str) -> str:
    """The origin of an address, in lower case."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()
