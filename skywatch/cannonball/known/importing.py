"""The second half of an import: staged rows are added to the list or update it, all of them or none.

What is to be done is worked out beside those who go on writing; only the doing of it locks the database.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import sqlalchemy as sa

from skywatch.cannonball.known.formats.table import Refused
from skywatch.cannonball.known.plan import Plan
from skywatch.cannonball.known.revision import next_revision
from skywatch.cannonball.known.staging import Staged
from skywatch.core.db import locked

# So often others may change the list between the comparison and the lock; then the lock comes first.
UNLOCKED_ATTEMPTS = 2


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
    engine: sa.Engine,
    staged: Staged,
    *,
    dry_run: bool = False,
    keep_good: bool = False,
    advance: Callable[[int], None] = lambda rows: None,
) -> Report:
    """Write what was staged, in transactions of its own; raises ImportRefused, before anything is written, where
    lines were refused.

    ``keep_good`` takes the good rows all the same. ``advance`` is told of the rows that were compared.
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
                _carry_out(connection, plan)
        finally:
            # The connection goes back to others.
            with connection.begin():
                plan.drop()
    report.added, report.updated, report.unchanged = plan.added, plan.updated, plan.unchanged
    return report


def _carry_out(connection: sa.Connection, plan: Plan) -> None:
    """Lock the list and do what was planned; where somebody changed it since, plan anew."""
    for _ in range(UNLOCKED_ATTEMPTS):
        if not plan.added + plan.updated:
            return
        with locked(connection) as transaction:
            revision = next_revision(connection)
            if revision == plan.revision + 1:
                plan.carry_out(revision)
                return
            transaction.rollback()
        with connection.begin():
            plan.make()
    with locked(connection):
        plan.make()
        plan.carry_out(next_revision(connection))
