"""The second half of an import: staged rows are added to the list or update it, in one transaction.

Fields that people edited by hand stay as they are, an empty field says nothing, and a value that was only derived by
rule never replaces one that is there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.cannonball.known.formats.table import Refused
from skywatch.cannonball.known.revision import next_revision
from skywatch.cannonball.known.service import defaults
from skywatch.cannonball.known.staging import Staged, StagedRow
from skywatch.cannonball.models import KnownAircraft
from skywatch.core.clock import utcnow


class ImportRefused(Exception):
    """Some lines are not good and the caller did not ask for the others to be kept; nothing was changed."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"{report.refused_count} lines were refused; nothing was changed")
        self.report = report


@dataclass
class Report:
    """What an import did, or would do."""

    dry_run: bool
    rows: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    skipped: int = 0
    refused_count: int = 0
    refused: list[Refused] = field(default_factory=list)


def import_staged(
    db: Session,
    staged: Staged,
    *,
    dry_run: bool = False,
    keep_good: bool = False,
    advance: Callable[[int], None] = lambda rows: None,
) -> Report:
    """Write what was staged; raises ImportRefused, before anything is written, where lines were refused.

    ``keep_good`` takes the good rows all the same. The caller commits; ``advance`` is told of the rows done.
    """
    refused = sorted(staged.refused)
    report = Report(dry_run, staged.rows, skipped=staged.skipped, refused_count=len(refused), refused=refused)
    if refused and not keep_good and not dry_run:
        raise ImportRefused(report)
    writer = _Writer(db, report)
    for chunk in staged.chunks():
        writer.write(chunk)
        advance(len(chunk))
    return report


class _Writer:
    def __init__(self, db: Session, report: Report) -> None:
        self.db = db
        self.report = report
        self.now = utcnow()
        self.revision = 0 if report.dry_run else next_revision(db)
        self.list_is_empty = db.scalar(sa.select(KnownAircraft.id).limit(1)) is None

    def write(self, chunk: list[StagedRow]) -> None:
        """Add or update the rows of one chunk."""
        present = {} if self.list_is_empty else self._present([row.icao_hex for row in chunk])
        added: list[dict[str, Any]] = []
        updated: dict[frozenset[str], list[dict[str, Any]]] = {}
        for row in chunk:
            entry = present.get(row.icao_hex)
            if entry is None:
                added.append(self._new(row))
                continue
            changes = changes_of(entry, row, self.now)
            if changes:
                updated.setdefault(frozenset(changes), []).append({**changes, "known_id": entry.id})
            else:
                self.report.unchanged += 1
        self.report.added += len(added)
        self.report.updated += sum(map(len, updated.values()))
        if self.report.dry_run:
            return
        connection = self.db.connection()
        if added:
            connection.execute(sa.insert(KnownAircraft), added)
        for names, rows in updated.items():
            values: dict[str, Any] = {name: sa.bindparam(f"new_{name}") for name in names}
            statement = (
                sa.update(KnownAircraft)
                .where(KnownAircraft.id == sa.bindparam("known_id"))
                .values(**values, updated_at=self.now, revision=self.revision)
            )
            connection.execute(
                statement,
                [{(name if name == "known_id" else f"new_{name}"): v for name, v in row.items()} for row in rows],
            )

    def _present(self, addresses: list[str]) -> dict[str, Any]:
        table: Any = KnownAircraft.__table__
        rows = self.db.execute(sa.select(table).where(table.c.icao_hex.in_(addresses)))
        return {row.icao_hex: row for row in rows}

    def _new(self, row: StagedRow) -> dict[str, Any]:
        entry = {**defaults(), **row.derived, **row.fields}
        verified = entry["verified"] == "true"
        return {
            **entry,
            "icao_hex": row.icao_hex,
            "verified": verified,
            "verified_at": self.now if verified else None,
            "times_detected": 0,
            "created_at": self.now,
            "updated_at": self.now,
            "edited_fields": [],
            "revision": self.revision,
        }


def changes_of(entry: Any, row: StagedRow, now: datetime) -> dict[str, Any]:
    """The columns of an entry that a row changes, with their new values."""
    changes: dict[str, Any] = {}
    for name, value in row.fields.items():
        if name not in entry.edited_fields and name != "verified" and getattr(entry, name) != value:
            changes[name] = value
    for name, value in row.derived.items():
        if name not in entry.edited_fields and getattr(entry, name) in ("", "unknown") and value != "unknown":
            changes[name] = value
    if "verified" in row.fields and "verified" not in entry.edited_fields and not entry.verified:
        changes |= {"verified": True, "verified_at": now}
    return changes
