"""What the views share of a request: the span of time it asks for, and its session, which reaches into the archive."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.archive.reader.archive_reader import bind, days_of, reach_of
from skywatch.core.clock import utcnow
from skywatch.core.problems import invalid
from skywatch.history.storage.points import GAP_S
from skywatch.http.requests.request import Request
from skywatch.sentences import sentence

# The days that an answer should have read as well, and could not.
LEFT_OUT = "Skywatch-Left-Out"
# Tolerated difference between the caller's clock and ours: an aircraft is shown for as long after its last position.
CLOCKS_APART = timedelta(seconds=GAP_S)


def span_of(request: Request, *, default: timedelta, longest: timedelta | None = None) -> tuple[datetime, datetime]:
    """Begin and end of the requested span; by default it ends now and is ``default`` long.

    Raises Problem (400) for a span that ends before it begins, is too long, or lies in the future.
    """
    query = request.validated["querystring"]
    begin, end = query["from"], query["to"]
    try:
        if end is None:
            end = utcnow() if begin is None or longest is None else min(utcnow(), begin + longest)
        if begin is None:
            begin = end - default
    except OverflowError:
        raise invalid("from", sentence("history.too_far", "is too far away"), "querystring") from None
    if begin > end:
        raise invalid(
            "from", sentence("history.begin_after_end", "must not be after the end of the span"), "querystring"
        )
    if longest is not None and end - begin > longest:
        raise invalid(
            "to",
            sentence(
                "history.span_days",
                "may be at most {days} days after the begin",
                days=f"{longest.total_seconds() / 86400:g}",
            ),
            "querystring",
        )
    refuse_future(begin, "to" if query["from"] is None else "from")
    return begin, end


def refuse_future(at: datetime, name: str) -> None:
    """Raise Problem (400) if ``at``, from the parameter ``name``, lies in the future."""
    if at > utcnow() + CLOCKS_APART:
        raise invalid(name, sentence("history.future", "lies in the future"), "querystring")


def reaching(
    request: Request,
    session: Session | None = None,
    *,
    begin: datetime | None = None,
    end: datetime | None = None,
) -> Session:
    """The session of a request, or of its stream, reaching into the archive for the caller.

    ``begin`` and ``end`` are those of the span that is asked for, None where it has none: a day before or after it that
    cannot be read is left out, and the header ``Skywatch-Left-Out`` names it.
    """
    session_of = request.db if session is None else session
    asked = days_of(begin, end) if begin is not None and end is not None else None
    if asked is None and begin is not None:
        asked = days_of(begin, begin)[0], date.max
    bind(session_of, request.runtime, request.person, is_stream=session is not None, asked=asked)
    if session is None and asked is not None:
        request.add_response_callback(_name_left_out)
    return session_of


def _name_left_out(request: Request, response: Response) -> None:
    reach = reach_of(request.db)
    if reach is not None and reach.left_out:
        response.headers[LEFT_OUT] = ", ".join(day.isoformat() for day in sorted(reach.left_out))
