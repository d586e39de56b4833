"""The first run: the first administrator is created in the console with the one-time password of ``init``.

The password is stored as a hash until the first user exists. It is random and long, so that a
plain hash is enough.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.changes import begin_change
from skywatch.accounts.identity.caller import Caller
from skywatch.accounts.identity.rights import SUPERADMIN
from skywatch.accounts.models import User
from skywatch.accounts.users.service import create_user
from skywatch.core.clock import utcnow
from skywatch.core.database.models import StoredSetting
from skywatch.core.problems import Problem, invalid
from skywatch.core.storing.audit import Actor

# A row of the stored settings that is no setting. Instead of a hash it may hold that ``init`` has made the user.
ROW = "(setup password)"
BY_INIT = "(administrator)"
State = Literal["", "create", "sign_in"]


def issue_password(session: Session) -> str | None:
    """A one-time password for the first visit of the console; None where there is one already, or any user."""
    begin_change(session)
    if session.get(StoredSetting, ROW) is not None or _has_user(session):
        return None
    password = secrets.token_urlsafe(15)
    _store(session, _hash(password))
    return password


def note_first_administrator(session: Session) -> None:
    """Have the console lead the administrator that ``init`` has made through the other steps."""
    session.execute(sa.delete(StoredSetting).where(StoredSetting.name == ROW))
    _store(session, BY_INIT)


def state_of(session: Session) -> State:
    """Whether the first administrator is to be created, is to sign in for the first time, or neither."""
    value = session.scalar(sa.select(StoredSetting.value).where(StoredSetting.name == ROW))
    if value is None:
        return ""
    logins = session.scalars(sa.select(User.last_login).limit(2)).all()
    if not logins:
        return "create" if value != BY_INIT else ""
    return "sign_in" if value == BY_INIT and logins == [None] else ""


def create_first_administrator(session: Session, actor: Actor, password: str, fields: Mapping[str, Any]) -> User:
    """The first user, who holds every permission; raises Problem: 400 for another password, 409 where there is one."""
    begin_change(session)
    if _has_user(session):
        raise Problem("conflict", "There is a user already: sign in.")
    row = session.get(StoredSetting, ROW)
    if row is None or not hmac.compare_digest(row.value, _hash(password)):
        raise invalid("setup_password", "is not the one-time password that init has printed")
    user = create_user(session, Caller(actor), {**fields, "roles": [SUPERADMIN]})
    session.delete(row)
    return user


def _store(session: Session, value: str) -> None:
    session.add(StoredSetting(name=ROW, value=value, sealed=False, updated_at=utcnow(), updated_by="init"))
    session.flush()


def _has_user(session: Session) -> bool:
    return session.scalar(sa.select(User.id).limit(1)) is not None


def _hash(password: str) -> str:
    return hashlib.sha256(b"skywatch setup " + password.encode("utf-8", "replace")).hexdigest()
