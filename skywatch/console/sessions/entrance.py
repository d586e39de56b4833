"""A session of the console for a login that began in the web application: the same login, with the console's rules."""

from __future__ import annotations

from datetime import datetime, timedelta

import sqlalchemy as sa

from skywatch.accounts.identity.credentials import header_method
from skywatch.accounts.models import Login
from skywatch.console.sessions.session import is_administrative, not_administrative
from skywatch.console.settings import ConsoleSettings
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.core.problems import Problem
from skywatch.core.storage import audit
from skywatch.http.clients.origins import allowed_origins
from skywatch.http.requests.request import Request
from skywatch.security.identity import Identity
from skywatch.sentences import sentence


def check_origin(request: Request) -> None:
    """Raise Problem (403) unless a page of this service asks; programs have no use for a session."""
    if not request.runtime.shared(allowed_origins).is_own(request.headers.get("Origin"), request.host_url):
        raise Problem(
            "csrf_failed",
            sentence("console.session_begins_here", "A session of the console begins on a page of this service only."),
        )


def holder_of_token(request: Request) -> Identity:
    """Whose access token the header holds; raises Problem: 401 without one, 403 for an API key. Cookies prove nothing
    here, for the browser sends them with every request."""
    identity = header_method(request)
    if identity is None:
        raise Problem(
            "authentication_required",
            sentence("console.send_token", "Send the access token as `Authorization: Bearer <token>`."),
        )
    if identity.key_id is not None:
        raise Problem("scope_denied", sentence("console.no_key", "An API key does not open the console; log in."))
    return identity


def enter(request: Request, identity: Identity) -> tuple[str, datetime]:
    """The login and the end of its session, which is the login's own where that comes first.

    Raises Problem: 401 where the login is over, 403 where its user administers nothing, which the audit log then has.
    """
    runtime = request.runtime
    origin = (request.client_address, request.request_id)
    actor = audit.Actor(identity.username, identity.method, identity.user_id, *origin)
    target = audit.Target("login", identity.login_id, identity.username)
    if not is_administrative(identity.permissions):
        reason = {"reason": "nothing_to_administer"}
        audit.record_apart(runtime.sessions, actor, "console.refused", target, after=reason)
        raise not_administrative()
    now = utcnow()
    lifetime = timedelta(hours=runtime.settings.of(ConsoleSettings).console_session_hours)
    with writing(runtime.sessions) as session:
        login = session.scalars(
            sa.select(Login).where(Login.id == identity.login_id, Login.ended_at.is_(None), Login.expires_at > now)
        ).one_or_none()
        if login is None:
            raise Problem("token_revoked")
        ends_at = min(login.expires_at, now + lifetime)
        audit.record(session, actor, "console.entered", target, after={"ends_at": ends_at})
        return login.id, ends_at
