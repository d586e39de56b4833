"""Stores the thresholds that differ from their defaults, and when learnt places were last forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import unix_now, utcnow
from skywatch.core.storage.audit import Actor, Target, record
from skywatch.http.resources.answer import answer
from skywatch.safety.models import SafetyPlace, SafetyThreshold
from skywatch.safety.thresholds.schemas import ThresholdRecord
from skywatch.safety.thresholds.thresholds import FIELDS, Thresholds, fault_of, meaning_of, with_changes
from skywatch.sentences import code_members, codes_of

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
    before = {entry["name"]: entry["value"] for entry in threshold_answers(session)}
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


def threshold_answers(session: Session) -> list[dict[str, Any]]:
    """Every threshold with its meaning, as the API answers it."""
    changes = _rows(session)
    return [_answer(name, changes.get(name)) for name in FIELDS]


def _answer(name: str, stored: float | None) -> dict[str, Any]:
    meaning = meaning_of(name)
    default = float(meaning.default)
    fault = fault_of(name, stored) if stored is not None else None
    return answer(
        ThresholdRecord,
        meaning,
        name=name,
        value=default if fault or stored is None else stored,
        default=default,
        minimum=float(meaning.minimum),
        maximum=float(meaning.maximum),
        description=meaning.meaning,
        fault=fault,
        **code_members(codes_of(fault=fault) if fault else None, "fault"),
    )


def forget_places(session: Session, actor: Actor) -> int:
    """Forget all learnt places; the tracker follows within seconds. Returns the number of cells."""
    count = session.scalar(sa.select(sa.func.count()).select_from(SafetyPlace)) or 0
    session.execute(sa.delete(SafetyPlace))
    session.execute(sa.delete(SafetyThreshold).where(SafetyThreshold.name == FORGOTTEN))
    session.add(SafetyThreshold(name=FORGOTTEN, value=unix_now(), updated_at=utcnow()))
    record(session, actor, "safety.places_forgotten", Target("safety_places"), after={"cells": count})
    session.flush()
    return count
