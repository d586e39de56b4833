"""The span of time that a request asks for by ``from`` and ``to``."""

from __future__ import annotations

from datetime import datetime, timedelta

from skywatch.core.clock import utcnow
from skywatch.core.problems import invalid
from skywatch.http.requests.request import Request
from skywatch.sentences import sentence

# Tolerated difference between the caller's clock and ours.
CLOCKS_APART = timedelta(minutes=1)


def span_of(
    request: Request,
    *,
    default: timedelta,
    longest: timedelta | None = None,
    earliest: datetime | None = None,
    ends_now: bool = False,
) -> tuple[datetime, datetime]:
    """Return begin and end of the requested span; by default it ends now and is ``default`` long.

    A span with a begin alone ends ``longest`` after it if that is before now; with ``ends_now`` it always ends now.
    Raises Problem (400) for a span that ends before it begins, is too long, begins before ``earliest``, or lies in the
    future; the problem names a parameter that was given.
    """
    query = request.validated["querystring"]
    begin, end = query["from"], query["to"]
    given = "to" if begin is None else "from"
    too_far = invalid(given, sentence("history.too_far", "is too far away"), "querystring")
    try:
        if end is None:
            end = utcnow()
            if begin is not None and longest is not None and not ends_now:
                end = min(end, begin + longest)
        if begin is None:
            begin = end - default
    except OverflowError:
        raise too_far from None
    refuse_reversed(begin, end)
    if longest is not None and end - begin > longest:
        days = f"{longest.total_seconds() / 86400:g}"
        if query["to"] is None:
            detail = sentence("history.span_days_back", "may be at most {days} days ago without an end", days=days)
            raise invalid("from", detail, "querystring")
        detail = sentence("history.span_days", "may be at most {days} days after the begin", days=days)
        raise invalid("to", detail, "querystring")
    if earliest is not None and begin < earliest:
        raise too_far
    refuse_future(begin, given)
    return begin, end


def refuse_reversed(begin: datetime | None, end: datetime | None) -> None:
    """Raise Problem (400) if a span ends before it begins; one that is open at an end does not."""
    if begin is not None and end is not None and begin > end:
        detail = sentence("history.begin_after_end", "must not be after the end of the span")
        raise invalid("from", detail, "querystring")


def refuse_future(at: datetime, name: str) -> None:
    """Raise Problem (400) if ``at``, from the parameter ``name``, lies in the future."""
    if at > utcnow() + CLOCKS_APART:
        raise invalid(name, sentence("history.future", "lies in the future"), "querystring")
