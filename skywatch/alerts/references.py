"""The rules that refer to a geofence or a watch list."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.conditions.fields import Kind
from skywatch.alerts.conditions.tree import parse, references
from skywatch.alerts.models import AlertRule
from skywatch.core.problems import Problem

# Largest number of rules named in an answer.
NAMED = 5


def check_unused(session: Session, kind: Kind, row_id: int, user_id: int, noun: str) -> None:
    """Raise Problem (409) if rules of this user refer to the row."""
    using = []
    for rule in session.scalars(sa.select(AlertRule).where(AlertRule.user_id == user_id).order_by(AlertRule.id)):
        node, _ = parse(rule.conditions)
        if node is not None and row_id in references(node, kind):
            using.append(rule.name)
    if using:
        more = f" and {len(using) - NAMED} more" if len(using) > NAMED else ""
        raise Problem("conflict", f"The {noun} is used by the rules {', '.join(using[:NAMED])}{more}.")
