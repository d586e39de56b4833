"""The audit log: who did what, when and from where, with the state before and after and never a secret.

An entry about a change is written in the change's own transaction, so that neither exists without the other. An
entry about something refused is written with ``record_apart``, because the refusal rolls everything else back.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from skywatch.core.clock import to_iso, utcnow
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.database.models import AuditEntry

log = logging.getLogger(__name__)
# A value under such a name is never stored, whatever it is.
SECRET_NAMES = ("password", "secret", "token", "key_hash", "hash", "authorization", "cookie", "refresh", "access")
# Nor is one under these names, but that there is none: the audit log is no place for where people live.
PRIVATE_NAMES = ("lat", "lon", "altitude_ft")
HIDDEN = "********"
MAX_TEXT = 1000


@dataclass(frozen=True)
class Actor:
    """The actor: a user (``user_id``), a caller without identity (``anonymous``), or the command line (``cli``)."""

    name: str
    method: str
    user_id: int | None = None
    address: str | None = None
    request_id: str | None = None


COMMAND_LINE = Actor("command line", "cli")


@dataclass(frozen=True)
class Target:
    """What was acted upon."""

    kind: str
    id: int | str | None = None
    name: str | None = None


def record(
    session: Session,
    actor: Actor,
    action: str,
    target: Target | None = None,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Add an entry to the present transaction; ``before`` and ``after`` keep only what differs.

    What is secret or private is compared like everything else, and named without its value.
    """
    if before is not None and after is not None:
        changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
        before = {name: value for name, value in before.items() if name in changed}
        after = {name: value for name, value in after.items() if name in changed}
    session.add(
        AuditEntry(
            at=utcnow(),
            action=action,
            actor_id=actor.user_id,
            actor_name=actor.name[:254],
            method=actor.method,
            address=actor.address,
            request_id=actor.request_id,
            target_type=target.kind if target else None,
            target_id=None if target is None or target.id is None else str(target.id)[:64],
            target_name=target.name[:254] if target and target.name else None,
            before=_plain(before) if before is not None else None,
            after=_plain(after) if after is not None else None,
        )
    )


def record_apart(
    sessions: SessionFactory,
    actor: Actor,
    action: str,
    target: Target | None = None,
    *,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Write an entry in a transaction of its own; a database that is out of reach costs the entry, not the answer.

    Not to be called while this thread holds a writing transaction: on SQLite the two would wait for each other.
    """
    try:
        with writing(sessions) as session:
            record(session, actor, action, target, after=after)
    except SQLAlchemyError as error:
        who = actor.name or actor.method  # Nobody known has no name.
        log.error("the audit entry %s by %s could not be written: %s", action, who, type(error).__name__)


def last_change(session: Session, target: Target) -> AuditEntry | None:
    """The newest entry about a target, refusals aside."""
    about = sa.select(AuditEntry).where(
        AuditEntry.target_type == target.kind,
        AuditEntry.target_id == str(target.id),
        AuditEntry.action.not_like("%.refused"),
    )
    return session.scalars(about.order_by(AuditEntry.id.desc()).limit(1)).one_or_none()


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: HIDDEN if _is_hidden(name.lower(), value) else _value(value) for name, value in values.items()}


def _is_hidden(name: str, value: Any) -> bool:
    return name in SECRET_NAMES or (name in PRIVATE_NAMES and value is not None)


def _value(value: Any) -> Any:
    if isinstance(value, datetime):
        return to_iso(value)
    if isinstance(value, Mapping):
        return _plain(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_value(item) for item in (sorted(value) if isinstance(value, set | frozenset) else value)]
    if isinstance(value, str):
        return str(value)[:MAX_TEXT]
    return value
