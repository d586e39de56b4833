"""Login with username (or e-mail address) and password."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import Session, selectinload

from skywatch.accounts.identity.caller import Caller
from skywatch.accounts.login_tokens import end_login, has_logged_in_from
from skywatch.accounts.models import User, UserRole
from skywatch.accounts.names import email_key, username_key
from skywatch.accounts.passwords.hashing import hash_password, hashing, needs_rehash, verify_password
from skywatch.accounts.sign_in.attempts import Attempts, GuessLimits, counted_name
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.network.addresses import network_of
from skywatch.core.problems import Problem
from skywatch.core.storage import audit
from skywatch.security.identity import person_of

T = TypeVar("T")


def log_in(
    sessions: SessionFactory,
    limits: GuessLimits,
    name: str,
    password: str,
    actor: audit.Actor,
    begin: Callable[[Session, User], T],
) -> tuple[User, T]:
    """Begin a login with a password; raises Problem (401, 429, 503) and writes down what was refused.

    ``begin`` starts the login that is wanted, within the transaction that has seen that it may be, and its result
    comes back with the user; a Problem that it raises refuses the login.

    An unknown name and a wrong password take the same steps, so that neither the answer nor its time distinguishes
    them. No transaction is open while the password is hashed.
    """
    person = person_of(None, actor.address or "")
    hashing.check(person)
    network = network_of(actor.address or "")
    with sessions() as session:
        user = _find(session, name)
        is_known = user is not None and has_logged_in_from(session, user.id, network)
    attempts = Attempts(limits, counted_name(name), network, network_is_known=is_known)
    # An attempt that finds no turn at the hasher does not count as one.
    with hashing.turn(person):
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


def _find(session: Session, name: str) -> User | None:
    # A username has no @, an e-mail address has one: no text can mean two users.
    condition = User.email_key == email_key(name) if "@" in name else User.username_key == username_key(name)
    return session.scalars(sa.select(User).where(condition)).one_or_none()


def _note_failure(sessions: SessionFactory, actor: audit.Actor, user: User | None, name: str, reason: str) -> None:
    """Record a refused login; the typed name is stored only if it is a username, for it may be a password."""
    target = audit.Target("user", user.id, user.username) if user is not None else audit.Target("user")
    audit.record_apart(sessions, actor, "login.failed", target, after={"reason": reason, "name_length": len(name)})
