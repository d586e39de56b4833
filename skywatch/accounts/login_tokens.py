"""Logins: how they begin, go on by rotation of their refresh token, and end.

A login names the one refresh token that is still unused. Using it is one UPDATE that names the next one, so that of two
uses at the same time exactly one wins. Whoever comes with another has a used token and is refused. Where it was used a
moment ago, a client tries again or two tabs were at it; later, the login ends (RFC 9700, section 4.14.2).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.changes import announce_login, begin_change
from skywatch.accounts.identity.tokens import Claims, TokenCodec, new_token_id
from skywatch.accounts.models import HandoverCode, Login, PasswordReset, UsedRefreshToken, User
from skywatch.core.backups import Restoration
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.network.addresses import network_of
from skywatch.core.problems import Problem
from skywatch.core.storage import audit
from skywatch.sentences import sentence

# Logins of the console have an absolute end: using their refresh token in the web application does not move it.
FIXED_END = ("console",)
# A token that was used within this time is refused without ending its login.
RETRIED_WITHIN = timedelta(seconds=30)

# Why logins of the time of a backup have ended.
RESTORED = "restored from a backup"


@dataclass(frozen=True, repr=False)
class TokenPair:
    """What a login is answered with."""

    access: str
    refresh: str


def start_login(session: Session, codec: TokenCodec, user: User, method: str, actor: audit.Actor) -> TokenPair:
    """Begin a login of a user who has proved who they are; ``method`` is ``password`` or ``oidc``. Gives its tokens."""
    lifetime = timedelta(seconds=codec.refresh_lifetime_s)
    return tokens_of(codec, begin_login(session, user, method, actor, lifetime))


def tokens_of(codec: TokenCodec, login: Login) -> TokenPair:
    """The tokens of a login that has just begun, or has just named another refresh token."""
    ends_at = login.expires_at.timestamp()
    return TokenPair(
        codec.access_token(login.user_id, login.id, ends_at),
        codec.refresh_token(login.user_id, login.id, login.refresh_id, ends_at),
    )


def begin_login(session: Session, user: User, method: str, actor: audit.Actor, lifetime: timedelta) -> Login:
    """A new login with an unguessable identifier, recorded in the audit log; raises Problem (403) for a program."""
    if user.is_service:
        raise Problem(
            "permission_denied",
            sentence("accounts.service_account_no_login", "A service account cannot log in; it has API keys."),
        )
    now = utcnow()
    login = Login(
        id=new_token_id(),
        user_id=user.id,
        method=method,
        refresh_id=new_token_id(),
        network=network_of(actor.address) if actor.address else None,
        created_at=now,
        expires_at=now + lifetime,
    )
    session.add(login)
    user.last_login = now
    announce_login(session, user.id)
    who = audit.Actor(user.username, method, user.id, actor.address, actor.request_id)
    audit.record(session, who, "login.succeeded", audit.Target("user", user.id, user.username))
    return login


def refresh(sessions: SessionFactory, codec: TokenCodec, token: str, actor: audit.Actor) -> TokenPair:
    """Exchange a refresh token for a new pair; raises Problem (401).

    Ends the login of a token that was used longer ago than ``RETRIED_WITHIN``.
    """
    claims = codec.read(token, "refresh")
    next_id = new_token_id()
    expires_at = utcnow().replace(microsecond=0) + timedelta(seconds=codec.refresh_lifetime_s)
    prolonged = sa.case((Login.method.in_(FIXED_END), Login.expires_at), else_=expires_at)
    with writing(sessions) as session:
        active = sa.select(User.id).where(User.id == claims.user_id, User.is_active)
        ends = session.execute(
            sa.update(Login)
            .where(
                Login.id == claims.login_id,
                Login.user_id.in_(active),
                Login.refresh_id == claims.token_id,
                Login.ended_at.is_(None),
            )
            .values(refresh_id=next_id, expires_at=prolonged)
            .returning(Login.expires_at),
            execution_options={"synchronize_session": False},
        ).scalar_one_or_none()
        if ends is not None:
            _note_use(session, claims.login_id, claims.token_id)
    if ends is None:
        # In a transaction of its own: changes lock the version first and a login after it, never the other way.
        with writing(sessions) as session:
            refusal = _refuse(session, claims, actor)
        raise refusal
    ends_at = ends.timestamp()
    return TokenPair(
        codec.access_token(claims.user_id, claims.login_id, ends_at),
        codec.refresh_token(claims.user_id, claims.login_id, next_id, ends_at),
    )


def _note_use(session: Session, login_id: str, token_id: str) -> None:
    """Remember when a token was used, and forget those of the login that were used before the time of retries."""
    now = utcnow()
    session.execute(
        sa.delete(UsedRefreshToken).where(
            UsedRefreshToken.login_id == login_id, UsedRefreshToken.used_at < now - RETRIED_WITHIN
        )
    )
    session.execute(sa.insert(UsedRefreshToken).values(token_id=token_id, login_id=login_id, used_at=now))


def _refuse(session: Session, claims: Claims, actor: audit.Actor) -> Problem:
    """Why a refresh token is not good any more; one that was used some time ago ends its login."""
    login_id, user_id = claims.login_id, claims.user_id
    row = session.execute(
        sa.select(Login.ended_at, User.is_active, User.username)
        .join(User, User.id == Login.user_id)
        .where(Login.id == login_id, Login.user_id == user_id)
    ).one_or_none()
    if row is not None and not row.is_active:
        return Problem("account_disabled")
    used_at = session.scalar(sa.select(UsedRefreshToken.used_at).where(UsedRefreshToken.token_id == claims.token_id))
    is_retry = used_at is not None and utcnow() - used_at <= RETRIED_WITHIN
    if row is not None and row.ended_at is None and not is_retry:
        begin_change(session)
        end_login(session, login_id, "token used twice")
        who = audit.Actor(row.username, "jwt", user_id, actor.address, actor.request_id)
        audit.record(session, who, "token.reused", audit.Target("login", login_id, row.username))
    return Problem("token_revoked")


def end_login(session: Session, login_id: str, reason: str) -> bool:
    """End one login, within a change; False where it had ended before."""
    ended = session.execute(
        sa.update(Login)
        .where(Login.id == login_id, Login.ended_at.is_(None))
        .values(ended_at=utcnow(), ended_reason=reason)
    )
    return bool(ended.rowcount)  # type: ignore[attr-defined]


def end_logins(session: Session, user_id: int, reason: str) -> int:
    """End all logins of a user, within a change; gives how many were alive."""
    ended = session.execute(
        sa.update(Login)
        .where(Login.user_id == user_id, Login.ended_at.is_(None))
        .values(ended_at=utcnow(), ended_reason=reason)
    )
    return int(ended.rowcount)  # type: ignore[attr-defined]


def find_logins(session: Session, user_id: int, limit: int) -> Sequence[Login]:
    """The logins of a user that go on, the newest first."""
    alive = sa.select(Login).where(Login.user_id == user_id, Login.ended_at.is_(None), Login.expires_at > utcnow())
    return session.scalars(alive.order_by(Login.created_at.desc(), Login.id).limit(limit)).all()


def handle_of(login_id: str) -> str:
    """A name for a login that proves nothing: the number itself is part of its tokens."""
    return hashlib.sha256(b"login " + login_id.encode()).hexdigest()[:24]


def has_logged_in_from(session: Session, user_id: int, network: str) -> bool:
    """Whether a user has logged in from a neighbourhood of the net before."""
    query = sa.select(Login.id).where(Login.user_id == user_id, Login.network == network).limit(1)
    return session.scalar(query) is not None


def end_restored(session: Session, restoration: Restoration) -> None:
    """After a restore, end every login unless they are kept: one ended since the backup would be alive again.

    Links of the time of the backup work no more.
    """
    begin_change(session)
    session.execute(sa.delete(HandoverCode))
    session.execute(sa.delete(PasswordReset))
    if not restoration.keep_logins:
        ended = {"ended_at": utcnow(), "ended_reason": RESTORED}
        session.execute(sa.update(Login).where(Login.ended_at.is_(None)).values(ended))
