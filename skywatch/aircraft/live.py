"""What the aircraft views share: the sky of this request, the caller's rights over it, and cached bodies.

Many clients ask the same question of the same picture, so an answer is built once for each tick, question and
set of rights, and its validator (ETag) is made of the same three.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from pyramid.request import Request
from pyramid.response import Response

from skywatch.core.problems import Problem, not_found
from skywatch.http.conditional import not_modified, set_etag
from skywatch.http.paging import link_base
from skywatch.http.render import json_response
from skywatch.picture.sky import Sky
from skywatch.security.permissions import Permission

# Different questions kept for one tick; beyond that answers are built each time.
MAXIMUM_CACHED = 256


@dataclass(frozen=True)
class Rights:
    """What the caller may see of aircraft."""

    military: bool
    details: bool


def rights_of(request: Request) -> Rights:
    """The caller's rights, decided by the policy."""
    return Rights(
        military=request.may(Permission.AIRCRAFT_VIEW_MILITARY),
        details=request.may(Permission.AIRCRAFT_VIEW_DETAILS),
    )


def live_response(
    request: Request, build: Callable[[Sky, Rights], bytes], content_type: str = "application/json"
) -> Response:
    """The answer to this request's address and query, built at most once a tick for each set of rights."""
    sky: Sky = request.sky
    rights: Rights = request.aircraft_rights
    # The answer may hold links, which begin with what this client calls the service.
    base = link_base(request)
    asked = f"{request.environ.get('PATH_INFO', '')} {request.environ.get('QUERY_STRING', '')}"
    question = f"{base} {asked} {rights.military:d}{rights.details:d}"
    etag = f"{sky.epoch}-{sky.seq}-{_fingerprint(question)}"
    unchanged = not_modified(request, etag)
    if unchanged is not None:
        return unchanged
    cache: dict[str, bytes] = sky.scratch
    body = cache.get(question)
    if body is None:
        body = build(sky, rights)
        if len(cache) < MAXIMUM_CACHED:
            cache[question] = body
    return set_etag(json_response(body, content_type=content_type), etag)


@lru_cache(maxsize=MAXIMUM_CACHED)
def _fingerprint(question: str) -> str:
    return hashlib.blake2s(question.encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()


def visible_row(request: Request, address: str, rights: Rights) -> int:
    """The row of an aircraft the caller may see; raises Problem 404 otherwise."""
    sky: Sky = request.sky
    row = sky.index.get(address)
    if row is None or (sky.column("military")[row] and not rights.military):
        raise not_found("aircraft in the sky at this moment")
    return row


def refuse_hidden_filters(rights: Rights, names: set[str]) -> None:
    """A filter on what the caller may not see would tell it all the same: 403."""
    if "registration" in names and not rights.details:
        raise Problem("permission_denied", "Asking by registration needs aircraft.view_details.")
