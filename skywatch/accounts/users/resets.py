"""A link with which its user sets a password: good once, for an hour, or for a week where the user never had one.

Whoever has the link has the account, so it gives nobody more than they hold: it is made only for users who hold no
more than its maker, and is refused where the user has got more since, or the maker has less.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.changes import begin_change
from skywatch.accounts.identity.caller import Caller, check_covers
from skywatch.accounts.identity.rights import load_rights
from skywatch.accounts.login_tokens import end_logins
from skywatch.accounts.models import PasswordReset, User
from skywatch.accounts.passwords.hashing import hashing
from skywatch.accounts.users.service import get_user, permissions_of, set_password, target_of, withdraw_resets
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.problems import Problem
from skywatch.core.storage import audit
from skywatch.security.identity import person_of
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

LIFETIME = timedelta(hours=1)
# An invitation is on its way for longer than the answer to a call for help.
INVITATION = timedelta(days=7)
METHOD = "reset_link"
T = TypeVar("T")


def is_invitation(user: User) -> bool:
    """Whether a link of a user is the first way in: without a password, and from no identity provider."""
    return user.password_hash is None and user.auth_provider == "local"


def create_reset(session: Session, caller: Caller, user_id: int) -> tuple[User, str]:
    """The token of a new link for a user, which is not kept; an earlier link of theirs is good no more."""
    rights = caller.begin(session, Permission.USERS_EDIT)
    user = get_user(session, user_id)
    check_covers(rights, permissions_of(user), sentence("accounts.the_user", "The user"))
    if user.is_service:
        raise Problem(
            "conflict", sentence("accounts.service_account_no_password", "A service account has no password.")
        )
    if not user.is_active:
        raise Problem(
            "conflict",
            sentence("accounts.deactivated_user", "A deactivated user cannot log in; activate the user first."),
        )
    now = utcnow()
    ends_at = now + (INVITATION if is_invitation(user) else LIFETIME)
    session.execute(sa.delete(PasswordReset).where(PasswordReset.expires_at <= now))
    withdraw_resets(session, user.id)
    token = secrets.token_urlsafe(32)
    session.add(
        PasswordReset(
            token_hash=_digest(token),
            user_id=user.id,
            created_by=caller.actor.user_id,
            created_at=now,
            expires_at=ends_at,
        )
    )
    audit.record(session, caller.actor, "password_reset.created", target_of(user), after={"expires_at": ends_at})
    return user, token


def user_of_reset(session: Session, token: str) -> User:
    """Whose password a link sets; raises Problem (404) where it is good no more."""
    query = sa.select(PasswordReset).where(
        PasswordReset.token_hash == _digest(token), PasswordReset.expires_at > utcnow()
    )
    reset = session.scalars(query).one_or_none()
    if reset is None:
        raise _no_link()
    user = get_user(session, reset.user_id)
    if not user.is_active or not _may_still(session, reset.created_by, user):
        raise _no_link()
    return user


def use_reset(
    sessions: SessionFactory, token: str, password: str, actor: audit.Actor, then: Callable[[Session, User], T]
) -> tuple[User, T]:
    """Set the password of a link's user and end all their logins; raises Problem (400, 404, 503).

    A password that is too easy leaves the link as it is. No transaction is open while the password is hashed. ``then``
    goes on in the transaction with the user, who has proved who they are; its result comes back.
    """
    with sessions() as session:
        user = user_of_reset(session, token)
    with hashing.turn(person_of(None, actor.address or "")):
        set_password(user, password, "password")
    with writing(sessions) as session:
        begin_change(session)
        fresh = user_of_reset(session, token)
        fresh.password_hash = user.password_hash
        withdraw_resets(session, fresh.id)
        end_logins(session, fresh.id, "password changed")
        who = audit.Actor(fresh.username, METHOD, fresh.id, actor.address, actor.request_id)
        audit.record(session, who, "password.changed", target_of(fresh))
        return fresh, then(session, fresh)


def _may_still(session: Session, maker_id: int | None, user: User) -> bool:
    if maker_id is None:
        return True
    rights = load_rights(session, maker_id)
    if rights is None or not rights.is_active or Permission.USERS_EDIT not in rights.permissions:
        return False
    return permissions_of(user) <= rights.permissions


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _no_link() -> Problem:
    return Problem(
        "not_found",
        sentence(
            "accounts.reset_link_invalid",
            "This link is not valid: it was used, replaced or withdrawn, or it is too old. "
            "Ask an administrator for another one.",
        ),
    )
