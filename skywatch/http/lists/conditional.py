"""ETag and If-None-Match for lists of live data."""

from __future__ import annotations

from pyramid.response import Response

from skywatch.http.requests.headers import set_headers
from skywatch.http.requests.request import Request


def not_modified(request: Request, etag: str) -> Response | None:
    """A 304 if the client already has this state, else None; ``etag`` is without quotes."""
    etags = request.environ.get("HTTP_IF_NONE_MATCH", "")
    if not etags:
        return None
    tags = {tag.strip().removeprefix("W/").strip('"') for tag in etags.split(",")}
    if etag not in tags and "*" not in tags:
        return None
    response = Response(status=304)
    response.headers.pop("Content-Type", None)
    return set_etag(response, etag)


def validator_headers(etag: str) -> list[tuple[str, str]]:
    """The headers by which a response of this state is compared; ``etag`` is without quotes."""
    return [("ETag", f'W/"{etag}"'), ("Cache-Control", "no-cache, private")]


def set_etag(response: Response, etag: str) -> Response:
    """Mark a response with its weak validator: the same state may be compressed or not."""
    set_headers(response, dict(validator_headers(etag)))
    return response
