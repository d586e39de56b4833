"""What the aircraft views share: the aircraft a caller may see, and cached bodies.

Many clients ask the same question of the same picture, so an answer is built once for each tick, question and
kind of caller, and its validator (ETag) is made of the same three. A question is what the view reads of the request,
nothing else: whatever a client adds to get past caches makes no further answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from pyramid.response import Response

from skywatch.core.problems import Problem, not_found
from skywatch.http.lists.conditional import not_modified, validator_headers
from skywatch.picture.access import picture_replica
from skywatch.picture.distribution.sky_request import SkyRequest
from skywatch.picture.state.exact_distances import has_exact_distances
from skywatch.picture.state.sky import Sky
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

# How old the tracker's last picture is (s): 0 while it works.
AGE_HEADER = "X-Picture-Age"
RETRY_AFTER_S, FIRST_TICK_S = "5", "1"
# Different questions kept for one tick; beyond that answers are built each time.
MAX_CACHED = 256


def live_response(
    request: SkyRequest,
    build: Callable[[Sky, Visibility], bytes],
    asked: str | Mapping[str, Any] = "",
    *,
    with_details: bool = True,
    content_type: str = "application/json",
) -> Response:
    """The answer of this view, built at most once a tick for all who ask and may see the same.

    ``asked`` is all that ``build`` reads of the request (a validated query string, or a text); ``with_details`` says
    whether the answer contains airframe details.
    """
    sky = live_sky(request)
    visibility = request.visibility
    text = asked if isinstance(asked, str) else repr(sorted(asked.items()))
    rights = f"{visibility.military:d}{with_details and visibility.details:d}{has_exact_distances(sky):d}"
    question = f"{request.current_service.name} {rights} {text}"
    etag = f"{sky.epoch}-{sky.seq}-{_fingerprint(question)}"
    unchanged = not_modified(request, etag)
    if unchanged is not None:
        return unchanged
    cache: dict[str, bytes] = sky.scratch
    body = cache.get(question)
    if body is None:
        body = build(sky, visibility)
        if len(cache) < MAX_CACHED:
            cache[question] = body
    # The list is made here: the response would look through it for each header that is set.
    headers = [("Content-Type", content_type), ("Content-Length", str(len(body)))]
    headers += [*validator_headers(etag), (AGE_HEADER, f"{sky.age_s:.1f}")]
    return Response(app_iter=[body], headerlist=headers)


def live_sky(request: SkyRequest) -> Sky:
    """The picture; raises Problem 503 before the tracker's first tick, and where the tracker is silent and nothing is
    left of what it published last."""
    picture = request.runtime.shared(picture_replica)
    if picture.is_awaited:
        raise Problem(
            "unavailable",
            sentence("aircraft.no_picture_yet", "The tracker has published no picture yet."),
            headers={"Retry-After": FIRST_TICK_S},
        )
    if picture.has_no_picture:
        detail = sentence(
            "aircraft.no_picture_for",
            "The tracker has published no picture for {seconds} s, and no aircraft is left of its last.",
            seconds=round(picture.silent_s),
        )
        raise Problem("unavailable", detail, headers={"Retry-After": RETRY_AFTER_S})
    return request.sky


@lru_cache(maxsize=MAX_CACHED)
def _fingerprint(question: str) -> str:
    return hashlib.blake2s(question.encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()


def visible_row(request: SkyRequest, address: str) -> int:
    """The row of an aircraft the caller may see; raises Problem 404 otherwise."""
    sky = live_sky(request)
    row = sky.index.get(address)
    if row is None or (sky.column("military")[row] and not request.visibility.military):
        raise not_found(sentence("thing.live_aircraft", "aircraft in the sky at this moment"))
    return row


def refuse_hidden_filters(visibility: Visibility, names: set[str]) -> None:
    """A filter on what the caller may not see would disclose it: 403."""
    if "registration" in names and not visibility.details:
        raise Problem(
            "permission_denied",
            sentence("aircraft.registration_needs_details", "Asking by registration needs aircraft.view_details."),
        )
