"""The second half of an import: staged rows are added to the list or update it, all or none.

The changes are planned without a lock, while others write; only their execution locks the database. The audit entry is
written in the transaction that executes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.cannonball.known.formats.delimited_table import Refused
from skywatch.cannonball.known.imports.plan import Plan
from skywatch.cannonball.known.imports.staging import Staged
from skywatch.cannonball.known.revision import next_revision
from skywatch.core.database.engine import locked
from skywatch.core.storage.audit import Actor, Target, record

# Attempts to plan without the lock, which fail if others change the list meanwhile; then it is locked before planning.
UNLOCKED_ATTEMPTS = 2


class ImportRefused(Exception):
    """Some lines were refused and ``keep_good`` is not set; nothing was changed."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"{report.refused_count} lines were refused; nothing was changed")
        self.report = report


@dataclass
class Report:
    """The result of an import, or of its dry run."""

    dry_run: bool
    rows: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    skipped: int = 0
    refused_count: int = 0
    refused: list[Refused] = field(default_factory=list)


def import_staged(
    engine: sa.Engine,
    staged: Staged,
    *,
    actor: Actor,
    dry_run: bool = False,
    keep_good: bool = False,
    advance: Callable[[int], None] = lambda rows: None,
) -> Report:
    """Write the staged rows, in its own transactions; raises ImportRefused before anything is written if lines were
    refused.

    ``keep_good`` writes the valid rows in that case. ``advance`` is called with the number of rows compared.
    """
    refused = sorted(staged.refused)
    report = Report(dry_run, staged.rows, skipped=staged.skipped, refused_count=len(refused), refused=refused)
    if refused and not keep_good and not dry_run:
        raise ImportRefused(report)
    with engine.connect() as connection:
        plan = Plan(connection, staged, dry_run=dry_run)
        try:
            with connection.begin():
                plan.make(advance)
            if not dry_run:
                _carry_out(connection, plan, lambda: _record(connection, actor, staged, plan))
        finally:
            # The connection returns to the pool.
            with connection.begin():
                plan.drop()
    report.added, report.updated, report.unchanged = plan.added, plan.updated, plan.unchanged
    return report


def _carry_out(connection: sa.Connection, plan: Plan, record_import: Callable[[], None]) -> None:
    """Lock the list, execute the plan and record the import; if the list was changed since, plan again."""
    for _ in range(UNLOCKED_ATTEMPTS):
        with locked(connection) as transaction:
            if not plan.added + plan.updated:
                record_import()
                return
            revision = next_revision(connection)
            if revision == plan.revision + 1:
                plan.carry_out(revision)
                record_import()
                return
            transaction.rollback()
        with connection.begin():
            plan.make()
    with locked(connection):
        plan.make()
        plan.carry_out(next_revision(connection))
        record_import()


def _record(connection: sa.Connection, actor: Actor, staged: Staged, plan: Plan) -> None:
    """Write the audit entry into the connection's transaction."""
    after = {
        "format": staged.form,
        "added": plan.added,
        "updated": plan.updated,
        "unchanged": plan.unchanged,
        "refused": len(staged.refused),
    }
    with Session(connection) as session:
        record(session, actor, "known_aircraft.imported", Target("known_aircraft"), after=after)
        session.flush()
