"""What the views share: the span of time a caller asks for."""

from __future__ import annotations

from datetime import datetime, timedelta

from skywatch.core.clock import utcnow
from skywatch.core.problems import invalid
from skywatch.history.points import GAP_S
from skywatch.http.request import Request

# The caller's clock and ours may be so far apart; an aircraft is shown for as long after its last position.
CLOCKS_APART = timedelta(seconds=GAP_S)


def span_of(request: Request, *, default: timedelta, longest: timedelta | None = None) -> tuple[datetime, datetime]:
    """Begin and end of the span asked for: until now and ``default`` long where it is not said.

    Raises Problem (400) for a span that is upside down, too long, or lies in the future.
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
    not_to_come(begin, "to" if query["from"] is None else "from")
    return begin, end


def not_to_come(at: datetime, name: str) -> None:
    """Raise Problem (400) where ``at``, from the parameter ``name``, is yet to come: nothing can have been recorded."""
    if at > utcnow() + CLOCKS_APART:
        raise invalid(name, "lies in the future", "querystring")
