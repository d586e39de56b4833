"""The session of a request of history, which reaches into the archive."""

from __future__ import annotations

from datetime import date, datetime

from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.archive.reader.archive_reader import bind, days_of, reach_of
from skywatch.http.requests.request import Request

# The days that an answer should have read as well, and could not.
LEFT_OUT = "Skywatch-Left-Out"


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
