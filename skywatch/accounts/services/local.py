"""Login with username (or e-mail address) and password, and what users do to their own account."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import Session, selectinload

from skywatch.accounts.caller import Caller
from skywatch.accounts.models import User, UserRole
from skywatch.accounts.names import email_key, username_key
from skywatch.accounts.passwords import hash_password, needs_rehash, verify_password
from skywatch.accounts.services.attempts import Attempts, GuessLimits
from skywatch.accounts.services.logins import TokenPair, end_login, end_logins, has_logged_in_from, start_login
from skywatch.accounts.services.users import apply_profile, get_user, set_password, target_of
from skywatch.accounts.tokens import TokenCodec
from skywatch.core import audit
from skywatch.core.bus import Bus
from skywatch.core.db import SessionFactory, writing
from skywatch.core.problems import Problem, invalid
from skywatch.http.client import place

T = TypeVar("T")


def log_in(
    sessions: SessionFactory,
    limits: GuessLimits,
    name: str,
    password: str,
    actor: audit.Actor,
    begin: Callable[[Session, User], T],
) -> tuple[User, T]:
    """Begin a login with a password; raises Problem (401, 429) and writes down what was refused.

    ``begin`` starts the login that is wanted, within the transaction that has seen that it may be, and its result
    comes back beside the user; a Problem that it raises refuses the login.

    An unknown name and a wrong password take the same steps, so that neither the answer nor its time tells them
    apart. No transaction is open while the password is hashed.
    """
    network = place(actor.address or "")
    with sessions() as session:
        user = _find(session, name)
        known = user is not None and has_logged_in_from(session, user.id, network)
    attempts = Attempts(limits, _counted_name(name), network, place_is_known=known)
    attempts.begin()
    right = verify_password(user.password_hash if user is not None else None, password)
    if user is None or not right:
        attempts.failed()
        _note_failure(sessions, actor, user, name, "invalid_credentials")
        raise Problem("invalid_credentials")
    attempts.succeeded()
    if not user.is_active:
        _note_failure(sessions, actor, user, name, "account_disabled")
        raise Problem("account_disabled")
    rehashed = hash_password(password) if needs_rehash(user.password_hash or "") else None
    with writing(sessions) as session:
        # Between the check and now the user may have been deactivated, or been given another password.
        fresh = session.scalars(
            sa.select(User)
            .where(User.id == user.id, User.is_active, User.password_hash == user.password_hash)
            .options(selectinload(User.assignments).joinedload(UserRole.role))
            .with_for_update()
        ).one_or_none()
        if fresh is None:
            raise Problem("invalid_credentials")
        if rehashed is not None:
            fresh.password_hash = rehashed
        return fresh, begin(session, fresh)


def log_out(session: Session, caller: Caller, login_ids: set[str]) -> None:
    """End logins of the caller."""
    caller.begin(session)
    for login_id in sorted(login_ids):
        if end_login(session, login_id, "logged out"):
            audit.record(session, caller.actor, "login.ended", audit.Target("login", login_id, caller.actor.name))


def change_password(
    sessions: SessionFactory, bus: Bus, limits: GuessLimits, codec: TokenCodec, caller: Caller, current: str, new: str
) -> TokenPair:
    """Give the caller a new password, end all their logins and begin a new one; raises Problem (400, 429)."""
    user_id, actor = caller.actor.user_id, caller.actor
    with sessions() as session:
        user = get_user(session, user_id or 0)
    attempts = Attempts(limits, _counted_name(user.username), place(actor.address or ""), place_is_known=True)
    attempts.begin()
    if not verify_password(user.password_hash, current):
        attempts.failed()
        audit.record_apart(sessions, actor, "password.refused", target_of(user))
        raise invalid("current_password", "is not the present password")
    attempts.succeeded()
    if current == new:
        raise invalid("new_password", "is the present password")
    old_hash = user.password_hash
    set_password(user, new, "new_password")
    with writing(sessions) as session:
        caller.begin(session)
        fresh = get_user(session, user.id)
        if fresh.password_hash != old_hash:
            raise Problem("conflict", "The password has been changed in the meantime.")
        fresh.password_hash = user.password_hash
        end_logins(session, fresh.id, "password changed")
        audit.record(session, actor, "password.changed", target_of(fresh))
        return start_login(session, bus, codec, fresh, "password", actor)


def change_profile(session: Session, caller: Caller, fields: Mapping[str, Any]) -> User:
    """Change what users may change themselves."""
    caller.begin(session)
    user = get_user(session, caller.actor.user_id or 0)
    before = {"display_name": user.display_name, "email": user.email}
    apply_profile(session, user, fields, by_user=True)
    after = {"display_name": user.display_name, "email": user.email}
    if before != after:
        audit.record(session, caller.actor, "profile.changed", target_of(user), before=before, after=after)
    session.flush()
    return user


def _find(session: Session, name: str) -> User | None:
    # A username has no @, an e-mail address has one: no text can mean two users.
    condition = User.email_key == email_key(name) if "@" in name else User.username_key == username_key(name)
    return session.scalars(sa.select(User).where(condition)).one_or_none()


def _counted_name(name: str) -> str:
    """What guesses are counted by: the name as it is compared, never the account behind it. Were a username and an
    e-mail address counted as one, the limit would tell who has which address, and that there is such an account."""
    key = email_key(name) if "@" in name else username_key(name)
    return hashlib.sha256(key.encode()).hexdigest()


def _note_failure(sessions: SessionFactory, actor: audit.Actor, user: User | None, name: str, reason: str) -> None:
    """Write down a refused login; what was typed as a name is kept only where it is one, for it may be a password."""
    known = audit.Target("user", user.id, user.username) if user is not None else audit.Target("user")
    audit.record_apart(sessions, actor, "login.failed", known, after={"reason": reason, "name_length": len(name)})
