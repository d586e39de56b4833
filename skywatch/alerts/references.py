"""The rules that refer to a geofence or a watch list."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.conditions.fields import Kind, field_named
from skywatch.alerts.conditions.tree import BRANCHES
from skywatch.alerts.models import AlertRule
from skywatch.core.problems import Problem
from skywatch.sentences import Sentence, sentence

# Largest number of rules named in an answer.
NAMED = 5


def check_unused(session: Session, kind: Kind, row_id: int, user_id: int, noun: Sentence) -> None:
    """Raise Problem (409) if rules of this user refer to the row."""
    # Conditions were checked when they were stored; to parse them again would compile their expressions.
    mentions = sa.cast(AlertRule.conditions, sa.Text).contains(str(row_id))
    query = sa.select(AlertRule.name, AlertRule.conditions).where(AlertRule.user_id == user_id, mentions)
    using = [row.name for row in session.execute(query.order_by(AlertRule.id)) if _refers(row.conditions, kind, row_id)]
    if using:
        names = ", ".join(using[:NAMED])
        if len(using) <= NAMED:
            detail = sentence(
                "alerts.used_by_rules", "The {noun} is used by the rules {names}.", noun=noun, names=names
            )
        else:
            detail = sentence(
                "alerts.used_by_more_rules",
                "The {noun} is used by the rules {names} and {more} more.",
                noun=noun,
                names=names,
                more=len(using) - NAMED,
            )
        raise Problem("conflict", detail)


def _refers(document: Any, kind: Kind, row_id: int) -> bool:
    """Whether stored conditions have a test of a field of this kind with this value."""
    pending = [document]
    while pending:
        node = pending.pop()
        if "field" in node:
            field = field_named(node["field"])
            if field is not None and field.kind is kind and node["value"] == row_id:
                return True
        else:
            for branch in BRANCHES:
                parts = node.get(branch, [])
                pending += parts if isinstance(parts, list) else [parts]
    return False
