"""The one-time password of a new installation, and the first administrator who is created with it.

The password is stored as a hash until the first user exists. It is random and long, so that a plain hash is enough.
It opens the set-up alone: it is nobody's login.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.changes import begin_change
from skywatch.accounts.first_user import has_user
from skywatch.accounts.identity.caller import Caller
from skywatch.accounts.identity.rights import SUPERADMIN
from skywatch.accounts.models import User
from skywatch.accounts.users.schemas import UserCreateFields
from skywatch.accounts.users.service import create_user
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.database.models import StoredSetting
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import COMMAND_LINE, Actor, Target, record
from skywatch.sentences import sentence

T = TypeVar("T")
# A row of the stored settings that is no setting: the hash of the password, and how many wrong ones were tried.
ROW = "(setup password)"
MAX_WRONG_TRIES = 10
# Five groups of five of 32 letters and digits that are not mistaken for each other: 125 bits that can be typed.
ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
GROUPS, GROUP_LENGTH = 5, 5
NO_LONGER = sentence(
    "accounts.setup_password_wrong",
    "The one-time password is wrong or no longer valid: `skywatch setup-link FILE.ini` gives a new one.",
)


def issue_password(session: Session) -> str | None:
    """A one-time password; None where one was issued before, or where there is a user."""
    begin_change(session)
    if session.get(StoredSetting, ROW) is not None or has_user(session):
        return None
    return _issue(session)


def renew_password(session: Session) -> str:
    """A new one-time password, which voids the older; raises Problem (409) where there is a user."""
    begin_change(session)
    if has_user(session):
        raise Problem("conflict", sentence("accounts.set_up_already", "There is a user already: sign in."))
    session.execute(sa.delete(StoredSetting).where(StoredSetting.name == ROW))
    return _issue(session)


def create_first_administrator(
    sessions: SessionFactory,
    actor: Actor,
    password: str,
    fields: UserCreateFields,
    then: Callable[[Session, User], T],
) -> T:
    """Create the first user, who holds every permission; the result of ``then`` in the same transaction.

    Raises Problem: 409 where there is a user, 401 for a wrong password, which is counted and recorded; ten void it.
    """
    with writing(sessions) as session:
        begin_change(session)
        if has_user(session):
            raise Problem("conflict", sentence("accounts.set_up_already", "There is a user already: sign in."))
        row = session.get(StoredSetting, ROW)
        if row is not None and _matches(row, password):
            user = create_user(session, Caller(actor), msgspec.structs.replace(fields, roles=[SUPERADMIN]))
            session.delete(row)
            return then(session, user)
        # What is recorded here stays: the Problem is raised after the transaction.
        after: dict[str, Any] = {"reason": "setup_password"}
        if row is not None:
            after["tries"] = _count_wrong_try(session, row)
        record(session, actor, "login.failed", Target("user"), after=after)
    raise Problem("token_invalid", NO_LONGER)


def _issue(session: Session) -> str:
    groups = ["".join(secrets.choice(ALPHABET) for _ in range(GROUP_LENGTH)) for _ in range(GROUPS)]
    password = "-".join(groups)
    value = f"{_hash(password)} 0"
    session.add(StoredSetting(name=ROW, value=value, sealed=False, updated_at=utcnow(), updated_by="init"))
    record(session, COMMAND_LINE, "setup.password_issued")
    session.flush()
    return password


def _matches(row: StoredSetting, password: str) -> bool:
    return hmac.compare_digest(row.value.partition(" ")[0], _hash(password))


def _count_wrong_try(session: Session, row: StoredSetting) -> int:
    """Count a wrong password, the last of which voids the right one; the number of wrong ones."""
    stored, _, count = row.value.partition(" ")
    tries = int(count or 0) + 1
    # A row without a hash matches nothing, and keeps `init` from issuing another password unasked.
    row.value = f"{stored} {tries}" if tries < MAX_WRONG_TRIES else f"void {tries}"
    return tries


def _hash(password: str) -> str:
    text = "".join(password.split()).lower()
    return hashlib.sha256(b"skywatch setup " + text.encode("utf-8", "replace")).hexdigest()
