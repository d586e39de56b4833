"""Headers that tell browsers to be careful, on every response."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from pyramid.response import Response

from skywatch.http.request import Request
from skywatch.security.area import area_of

Handler = Callable[[Request], Response]
HTML_POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
# What is not a page needs nothing at all.
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
    """Set some headers in one pass over the list; item by item each goes through it anew."""
    names = {name.lower() for name in headers}
    kept = [(name, value) for name, value in response.headerlist if name.lower() not in names]
    response.headerlist = [*kept, *headers.items()]


def add_vary(response: Response, name: str) -> None:
    """Say, unless it was said, that the answer depends on a header of the request."""
    headers = response.headerlist
    for index, (header, said) in enumerate(headers):
        if header.lower() == "vary":
            if name.lower() not in (one.strip().lower() for one in said.split(",")):
                headers[index] = ("Vary", f"{said}, {name}")
            return
    headers.append(("Vary", name))


def security_headers_tween(handler: Handler, registry: Any) -> Handler:
    """Set what a view has not set itself; answers of the API are kept by nobody unless the view says so."""
    production = registry["runtime"].settings.environment == "production"

    def tween(request: Request) -> Response:
        response = handler(request)
        area = area_of(request)
        wanted = _wanted(
            response.content_type == "text/html",
            production and request.scheme == "https",
            request.environ.get("PATH_INFO", "").startswith("/api/"),
        )
        if area is not None:
            wanted = {**wanted, **{name.lower(): (name, value) for name, value in area.headers.items()}}
        # In one pass over the list: setdefault would go through it for every name.
        present = {name.lower() for name, _ in response.headerlist}
        response.headerlist.extend(header for name, header in wanted.items() if name not in present)
        return response

    return tween


@functools.lru_cache(maxsize=8)
def _wanted(is_page: bool, is_encrypted: bool, is_api: bool) -> Mapping[str, tuple[str, str]]:
    """The headers of a kind of answer by their names in lower case."""
    wanted = dict(HEADERS)
    wanted["Content-Security-Policy"] = HTML_POLICY if is_page else DATA_POLICY
    if is_encrypted:
        wanted["Strict-Transport-Security"] = HSTS
    if is_api:
        wanted["Cache-Control"] = "no-store"
    return {name.lower(): (name, value) for name, value in wanted.items()}
