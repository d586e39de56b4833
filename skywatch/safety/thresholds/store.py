"""Stores the thresholds that differ from their defaults, and when learnt places were last forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import unix_now, utcnow
from skywatch.core.storing.audit import Actor, Target, record
from skywatch.safety.models import SafetyPlace, SafetyThreshold
from skywatch.safety.thresholds.table import FIELDS, Thresholds, fault_of, meaning_of, with_changes

# A row that is not a threshold: its value is the unix time at which all places were forgotten.
FORGOTTEN = "(places forgotten)"


def _rows(session: Session) -> dict[str, float]:
    return dict(session.execute(sa.select(SafetyThreshold.name, SafetyThreshold.value)).all())


def read(session: Session) -> tuple[Thresholds, float | None]:
    """The thresholds in force, and when all places were forgotten last (unix seconds)."""
    rows = _rows(session)
    return with_changes(rows), rows.get(FORGOTTEN)


def set_values(session: Session, values: dict[str, float]) -> None:
    """Change thresholds; the row of one that is set to its default is deleted."""
    for name, value in values.items():
        session.execute(sa.delete(SafetyThreshold).where(SafetyThreshold.name == name))
        if value != meaning_of(name).default:
            session.add(SafetyThreshold(name=name, value=value, updated_at=utcnow()))
    session.flush()


def change(session: Session, actor: Actor, values: Mapping[str, float]) -> None:
    """Change thresholds, with an entry in the audit log; they are in force within two seconds."""
    before = {entry["name"]: entry["value"] for entry in shown(session)}
    set_values(session, dict(values))
    changed = {name: before[name] for name in values}
    record(
        session,
        actor,
        "safety.settings_changed",
        Target("safety_settings", "thresholds"),
        before=changed,
        after=dict(values),
    )


def shown(session: Session) -> list[dict[str, Any]]:
    """Every threshold with its meaning."""
    changes = _rows(session)
    records = []
    for name in FIELDS:
        meaning = meaning_of(name)
        fault = fault_of(name, changes[name]) if name in changes else None
        records.append(
            {
                "name": name,
                "value": float(meaning.default) if fault else changes.get(name, float(meaning.default)),
                "default": float(meaning.default),
                "unit": meaning.unit,
                "minimum": float(meaning.minimum),
                "maximum": float(meaning.maximum),
                "source": meaning.source,
                "description": meaning.meaning,
                "fault": fault,
            }
        )
    return records


def forget_places(session: Session, actor: Actor) -> int:
    """Forget all learnt places; the tracker follows within seconds. Returns the number of cells."""
    count = session.scalar(sa.select(sa.func.count()).select_from(SafetyPlace)) or 0
    session.execute(sa.delete(SafetyPlace))
    session.execute(sa.delete(SafetyThreshold).where(SafetyThreshold.name == FORGOTTEN))
    session.add(SafetyThreshold(name=FORGOTTEN, value=unix_now(), updated_at=utcnow()))
    record(session, actor, "safety.places_forgotten", Target("safety_places"), after={"cells": count})
    session.flush()
    return count
