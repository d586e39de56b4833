"""Decides who may begin a console session: users who may log in at the API and have an administrative permission."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from sqlalchemy.orm import Session

from skywatch.accounts.login_tokens import begin_login
from skywatch.accounts.models import Login, User
from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.sign_in.attempts import GuessLimits
from skywatch.accounts.sign_in.service import log_in
from skywatch.accounts.users.service import permissions_of, target_of
from skywatch.console.sessions.session import is_administrative, not_administrative
from skywatch.console.settings import ConsoleSettings
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.core.storage.audit import Actor, record_apart
from skywatch.sso.models import PendingLogin
from skywatch.sso.sign_on.answer import Answer
from skywatch.sso.sign_on.flow import SignOn

METHOD = "console"


class _NothingToAdminister(Exception):
    def __init__(self, user: User) -> None:
        self.target = target_of(user)


def sign_in(runtime: Runtime, limits: GuessLimits, name: str, password: str, actor: Actor) -> Login:
    """A new login with the rules of the API's; raises Problem (401, 403, 429), and what was refused is in the audit."""
    if not runtime.settings.of(AccountSettings).local_auth_enabled:
        raise Problem("local_auth_disabled")
    with _noting_refusal(runtime, actor):
        return log_in(runtime.sessions, limits, name, password, actor, _beginning(runtime, actor))[1]


def sign_on(runtime: Runtime, providers: SignOn, begun: PendingLogin, answer: Answer, actor: Actor) -> Login:
    """A new login of whom an identity provider vouches for; raises Problem (401, 403, 404, 502), as ``sign_in``."""
    with _noting_refusal(runtime, actor):
        return providers.begin_login(begun, answer, actor, _beginning(runtime, actor))[1]


def _beginning(runtime: Runtime, actor: Actor) -> Callable[[Session, User], Login]:
    lifetime = timedelta(hours=runtime.settings.of(ConsoleSettings).console_session_hours)

    def begin(session: Session, user: User) -> Login:
        if not is_administrative(permissions_of(user)):
            raise _NothingToAdminister(user)
        return begin_login(session, user, METHOD, actor, lifetime)

    return begin


@contextmanager
def _noting_refusal(runtime: Runtime, actor: Actor) -> Iterator[None]:
    try:
        yield
    except _NothingToAdminister as refused:
        reason = {"reason": "nothing_to_administer"}
        record_apart(runtime.sessions, actor, "login.failed", refused.target, after=reason)
        raise not_administrative() from None
