"""Security headers, on every response."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from pyramid.response import Response

from skywatch.core.runtime import runtime_of
from skywatch.http.requests.request import Request
from skywatch.security.area import area_of

Handler = Callable[[Request], Response]
HTML_POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
# Responses other than pages load nothing.
DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(self), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
HSTS = "max-age=31536000"


def set_headers(response: Response, headers: Mapping[str, str]) -> None:
    """Set headers in one pass over the list; setting them one by one scans it each time."""
    names = {name.lower() for name in headers}
    others = [(name, value) for name, value in response.headerlist if name.lower() not in names]
    response.headerlist = [*others, *headers.items()]


def media_type(response: Response) -> str:
    """The media type of a response without parameters; empty where it has none."""
    for name, value in response.headerlist:
        if name.lower() == "content-type":
            text: str = value.partition(";")[0]
            return text
    return ""


def add_vary(response: Response, name: str) -> None:
    """Add a header of the request to ``Vary``, unless it is there."""
    headers = response.headerlist
    for index, (header, value) in enumerate(headers):
        if header.lower() == "vary":
            if name.lower() not in (field.strip().lower() for field in value.split(",")):
                headers[index] = ("Vary", f"{value}, {name}")
            return
    headers.append(("Vary", name))


def security_headers_tween(handler: Handler, registry: Any) -> Handler:
    """Set the headers that a view has not set; responses of services are not cached unless the view allows it."""
    production = runtime_of(registry).settings.environment == "production"

    def tween(request: Request) -> Response:
        response = handler(request)
        area = area_of(request)
        defaults = _header_defaults(
            media_type(response) == "text/html",
            production and request.scheme == "https",
            request.environ.get("PATH_INFO", "").startswith("/api/") or request.current_service is not None,
        )
        if area is not None:
            defaults = {**defaults, **{name.lower(): (name, value) for name, value in area.headers.items()}}
        # In one pass over the list: setdefault would go through it for every name.
        present = {name.lower() for name, _ in response.headerlist}
        response.headerlist.extend(header for name, header in defaults.items() if name not in present)
        if request.frame_origins:
            # It would forbid what the policy of the page allows to some.
            response.headers.pop("X-Frame-Options", None)
        if request.is_framed:
            _allow_frame(response)
        return response

    return tween


def _allow_frame(response: Response) -> None:
    """Permit a frame of the same origin to show the response."""
    for name in ("Content-Security-Policy", "X-Frame-Options"):
        text = response.headers.get(name, "")
        response.headers[name] = text.replace("frame-ancestors 'none'", "frame-ancestors 'self'").replace(
            "DENY", "SAMEORIGIN"
        )


@functools.lru_cache(maxsize=8)
def _header_defaults(is_page: bool, is_encrypted: bool, is_service: bool) -> Mapping[str, tuple[str, str]]:
    """The headers of a kind of response by their names in lower case."""
    defaults = dict(HEADERS)
    defaults["Content-Security-Policy"] = HTML_POLICY if is_page else DATA_POLICY
    if is_encrypted:
        defaults["Strict-Transport-Security"] = HSTS
    if is_service:
        defaults["Cache-Control"] = "no-store"
    return {name.lower(): (name, value) for name, value in defaults.items()}
