"""From the console to the web application without a second sign-in: a code for one browser becomes tokens of the login.

The code and the browser's cookie are made together, stored as hashes, and good once and for 30 s. A code alone is worth
nothing, wherever it may have been seen; and a code that somebody else made is worth nothing in a browser that has not
its cookie. The login stays the one it was, with its end: either side ends both.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session, selectinload

from skywatch.accounts.identity.caller import Caller
from skywatch.accounts.identity.tokens import TokenCodec, new_token_id
from skywatch.accounts.login_tokens import TokenPair, tokens_of
from skywatch.accounts.models import HandoverCode, Login, User, UserRole
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.problems import Problem
from skywatch.core.storage import audit
from skywatch.sentences import sentence

LIFETIME = timedelta(seconds=30)


@dataclass(frozen=True, repr=False)
class Handover:
    """One hand-over: ``code`` goes into the body of a page, ``browser`` into a cookie; neither is stored."""

    code: str
    browser: str


def create_code(session: Session, caller: Caller, login_id: str) -> Handover:
    """A new code for a login of the caller; an earlier one of the login is good no more."""
    now = utcnow()
    obsolete = sa.or_(HandoverCode.expires_at <= now, HandoverCode.login_id == login_id)
    session.execute(sa.delete(HandoverCode).where(obsolete))
    made = Handover(secrets.token_urlsafe(32), secrets.token_urlsafe(32))
    session.add(
        HandoverCode(
            code_hash=_digest(made.code),
            browser_hash=_digest(made.browser),
            login_id=login_id,
            expires_at=now + LIFETIME,
        )
    )
    audit.record(session, caller.actor, "handover.created", audit.Target("login", login_id, caller.actor.name))
    return made


def redeem_code(
    sessions: SessionFactory, codec: TokenCodec, code: str, browser: str, actor: audit.Actor
) -> tuple[User, TokenPair]:
    """Exchange a code, once, for the user and tokens of its login; raises Problem (401).

    The refresh token that the login named before is good no more. A code that comes from another browser stays for
    the one it was made for, and is written down.
    """
    which = sa.and_(HandoverCode.code_hash == _digest(code), HandoverCode.expires_at > utcnow())
    with sessions() as session:
        row = session.execute(
            sa.select(HandoverCode.browser_hash, Login.id, Login.user_id, User.username)
            .join(Login, Login.id == HandoverCode.login_id)
            .join(User, User.id == Login.user_id)
            .where(which)
        ).one_or_none()
    if row is None:
        raise _refusal()
    target = audit.Target("login", row.id, row.username)
    if not hmac.compare_digest(row.browser_hash, _digest(browser)):
        audit.record_apart(sessions, actor, "handover.refused", target, after={"reason": "other_browser"})
        raise _refusal()
    with writing(sessions) as session:
        taken = session.execute(sa.delete(HandoverCode).where(which))
        if taken.rowcount != 1:  # type: ignore[attr-defined]
            raise _refusal()
        user, login = _alive(session, row.user_id, row.id)
        login.refresh_id = new_token_id()
        who = audit.Actor(user.username, login.method, user.id, actor.address, actor.request_id)
        audit.record(session, who, "handover.used", target)
        return user, tokens_of(codec, login)


def _alive(session: Session, user_id: int, login_id: str) -> tuple[User, Login]:
    """The login and its user, who is locked out or has logged out until now perhaps: then raises Problem (401)."""
    user = session.scalars(
        sa.select(User).where(User.id == user_id).options(selectinload(User.assignments).joinedload(UserRole.role))
    ).one_or_none()
    if user is not None and not user.is_active:
        raise Problem("account_disabled")
    login = session.scalars(
        sa.select(Login)
        .where(Login.id == login_id, Login.ended_at.is_(None), Login.expires_at > utcnow())
        .with_for_update()
    ).one_or_none()
    if user is None or login is None:
        raise Problem("token_revoked")
    return user, login


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _refusal() -> Problem:
    return Problem(
        "token_invalid",
        sentence(
            "accounts.handover_code_invalid",
            "The code is not valid: it was used, was made for another browser, or is older than "
            "30 s. Choose Map in the console again.",
        ),
    )
