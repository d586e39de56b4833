"""The sky of the past: at a moment, and over a span as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import msgspec
from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.history.flights.service import Labels
from skywatch.history.moments import schemas, service
from skywatch.history.moments.timeline import timeline
from skywatch.history.requests import reaching
from skywatch.http.lists.stream import buffer_lines, stream
from skywatch.http.requests.request import Request
from skywatch.http.requests.span import refuse_future, span_of
from skywatch.http.resources.render import json_response
from skywatch.http.resources.service import ApiService
from skywatch.security.permissions import Permission

FEATURE = "history"
NDJSON = "application/x-ndjson"
LONGEST = timedelta(days=schemas.MAX_REPLAY_DAYS)

picture_service = ApiService("history_picture", "/history/picture", feature=FEATURE)
replay_service = ApiService("history_replay", "/history/replay", feature=FEATURE)
timeline_service = ApiService("history_timeline", "/history/timeline", feature=FEATURE)


@picture_service.get(
    permission=Permission.HISTORY_VIEW, query=schemas.PictureQuery(), responses={200: schemas.PastPicture()}
)
def get_past_picture(request: Request) -> Response:
    """The whole sky at a moment

    Positions between two received ones are interpolated; an aircraft unseen for a minute is not shown. A moment in
    the future is refused.
    """
    at = request.validated["querystring"]["at"]
    refuse_future(at, "at")
    return json_response(
        service.picture(reaching(request, begin=at, end=at), at.timestamp(), Labels(request.visibility))
    )


@replay_service.get(
    permission=Permission.HISTORY_VIEW, query=schemas.ReplayQuery(), responses={200: NDJSON}, errors=(503,)
)
def replay_history(request: Request) -> Response:
    """A span of the past as a stream of moments

    Newline-delimited JSON: `{now, aircraft, count}` for each step, and `{"end": true, "moments": n}` as the last
    line: a stream without it was cut off. One hour by default; at most 7 days.
    """
    begin, end = span_of(request, default=timedelta(hours=1), longest=LONGEST)
    step_s = request.validated["querystring"]["step_s"]
    labels = Labels(request.visibility)

    def lines(session: Session) -> Iterator[bytes]:
        count = 0
        reaching(request, session, begin=begin, end=end)
        for moment in service.replay(session, begin.timestamp(), end.timestamp(), step_s, labels):
            yield moment + b"\n"
            count += 1
        yield msgspec.json.encode({"end": True, "moments": count}) + b"\n"

    return stream(request, lambda session: buffer_lines(lines(session)), NDJSON)


@timeline_service.get(
    permission=Permission.HISTORY_VIEW, query=schemas.TimelineQuery(), responses={200: schemas.Timeline()}
)
def get_timeline(request: Request) -> dict[str, Any]:
    """How much was recorded along a span

    The number of flights under way in each of `bins` equal parts, and the first moment at which a replay shows an
    aircraft. One hour by default; at most 7 days.
    """
    begin, end = span_of(request, default=timedelta(hours=1), longest=LONGEST)
    return timeline(
        reaching(request, begin=begin, end=end),
        begin,
        end,
        request.validated["querystring"]["bins"],
        request.visibility,
    )
