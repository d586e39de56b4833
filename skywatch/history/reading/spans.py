"""What the views share: the span of time a caller asks for."""

from __future__ import annotations

from datetime import datetime, timedelta

from skywatch.core.clock import utcnow
from skywatch.core.problems import invalid
from skywatch.history.storage.points import GAP_S
from skywatch.http.requests.request import Request

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
        raise invalid("from", "is too far away", "querystring") from None
    if begin > end:
        raise invalid("from", "must not be after the end of the span", "querystring")
    if longest is not None and end - begin > longest:
        raise invalid("to", f"may be at most {longest.total_seconds() / 86400:g} days after the begin", "querystring")
    refuse_future(begin, "to" if query["from"] is None else "from")
    return begin, end


def refuse_future(at: datetime, name: str) -> None:
    """Raise Problem (400) if ``at``, from the parameter ``name``, lies in the future."""
    if at > utcnow() + CLOCKS_APART:
        raise invalid(name, "lies in the future", "querystring")
