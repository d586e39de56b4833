"""Sessions of requests that reach into the archive of years, where there is one: those of history and of dry runs."""

from __future__ import annotations

from sqlalchemy.orm import Session

from skywatch.archive.reading.reader import bind
from skywatch.http.requests.request import Request


def reaching(request: Request, session: Session | None = None) -> Session:
    """The session of a request, or of its stream, reaching into the archive for the caller."""
    user = request.visibility.user_id
    caller = f"user {user}" if user is not None else f"address {request.client_address}"
    return bind(request.db if session is None else session, request.runtime, caller, is_stream=session is not None)
