"""Reading the audit log."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.users.names import username_key
from skywatch.core.database.models import AuditEntry

NUMBER = re.compile("[0-9]{1,18}")


def find_entries(
    session: Session, filters: Mapping[str, Any], *, limit: int, offset: int, before_id: int | None
) -> tuple[Sequence[AuditEntry], int]:
    """A page of entries, the newest first, and how many match; ``before_id`` goes on from a page seen before."""
    conditions: list[sa.ColumnElement[bool]] = []
    if "action" in filters:
        # `login` finds login.succeeded and login.failed.
        action = filters["action"]
        conditions.append(
            sa.or_(AuditEntry.action == action, AuditEntry.action.startswith(f"{action}.", autoescape=True))
        )
    if "actor" in filters:
        conditions.append(_acted(filters["actor"]))
    for name, column in (
        ("target_type", AuditEntry.target_type),
        ("target_id", AuditEntry.target_id),
        ("address", AuditEntry.address),
    ):
        if name in filters:
            conditions.append(column == filters[name])
    if "from" in filters:
        conditions.append(AuditEntry.at >= filters["from"])
    if "to" in filters:
        conditions.append(AuditEntry.at < filters["to"])
    count = session.scalar(sa.select(sa.func.count(AuditEntry.id)).where(*conditions)) or 0
    query = sa.select(AuditEntry).where(*conditions)
    if before_id is not None:
        query = query.where(AuditEntry.id < before_id)
    return session.scalars(query.order_by(AuditEntry.id.desc()).limit(limit).offset(offset)).all(), count


def _acted(who: str) -> sa.ColumnElement[bool]:
    """Entries of a user by number or by the name they had; a name may look like a number."""
    named = sa.func.lower(AuditEntry.actor_name) == username_key(who)
    return sa.or_(named, AuditEntry.actor_id == int(who)) if NUMBER.fullmatch(who) else named
