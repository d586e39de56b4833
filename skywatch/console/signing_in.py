"""Who may begin a session of the console: whoever may log in at the API with a password, and administers something."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.orm import Session

from skywatch.accounts.logins.attempts import GuessLimits
from skywatch.accounts.logins.local import log_in
from skywatch.accounts.logins.service import begin_login
from skywatch.accounts.models import Login, User
from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.users.service import permissions_of, target_of
from skywatch.console.session import is_administrative, not_administrative
from skywatch.console.settings import ConsoleSettings
from skywatch.core.audit import Actor, record_apart
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime

METHOD = "console"


class _NothingToAdminister(Exception):
    def __init__(self, user: User) -> None:
        self.target = target_of(user)


def sign_in(runtime: Runtime, limits: GuessLimits, name: str, password: str, actor: Actor) -> Login:
    """A new login with the rules of the API's; raises Problem (401, 403, 429), and what was refused is in the audit."""
    settings = runtime.settings
    if not settings.of(AccountSettings).local_auth_enabled:
        raise Problem("local_auth_disabled")
    lifetime = timedelta(hours=settings.of(ConsoleSettings).console_session_hours)

    def begin(session: Session, user: User) -> Login:
        if not is_administrative(permissions_of(user)):
            raise _NothingToAdminister(user)
        return begin_login(session, user, METHOD, actor, lifetime)

    try:
        return log_in(runtime.sessions, limits, name, password, actor, begin)[1]
    except _NothingToAdminister as refused:
        reason = {"reason": "nothing_to_administer"}
        record_apart(runtime.sessions, actor, "login.failed", refused.target, after=reason)
        raise not_administrative() from None
