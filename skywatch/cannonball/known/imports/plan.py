"""The planned changes of an import, computed before the database is locked and stored in temporary tables.

Comparing a million rows takes far longer than others wait for the write lock of SQLite. Temporary tables belong to
one connection and need no lock; with the lock, two statements execute the plan.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from skywatch.cannonball.known.imports.staging import Staged, StagedRow
from skywatch.cannonball.known.revision import current_revision
from skywatch.cannonball.known.service import WRITABLE, defaults
from skywatch.cannonball.models import KnownAircraft, derived_columns
from skywatch.core.clock import utcnow

_LIST: Any = KnownAircraft.__table__
# The revision is known once the list is locked.
_NEW = tuple(column for column in _LIST.columns if column.name not in ("id", "revision"))
_CHANGED = tuple(_LIST.c[name] for name in (*WRITABLE, "verified_at", "updated_at", "military", "search_text"))
_metadata = sa.MetaData()
_added = sa.Table(
    "cannonball_import_added",
    _metadata,
    *(sa.Column(column.name, column.type) for column in _NEW),
    prefixes=["TEMPORARY"],
)
_changed = sa.Table(
    "cannonball_import_changed",
    _metadata,
    sa.Column("known_id", _LIST.c.id.type, primary_key=True, autoincrement=False),
    *(sa.Column(column.name, column.type) for column in _CHANGED),
    prefixes=["TEMPORARY"],
)


class Plan:
    """The rows that one import adds and updates, on one connection and as of one revision of the list."""

    def __init__(self, connection: sa.Connection, staged: Staged, *, dry_run: bool) -> None:
        self._connection = connection
        self._staged = staged
        self._dry_run = dry_run
        self._clear()

    def _clear(self) -> None:
        self.revision = 0
        """Revision of the list that the rows were compared with."""
        self.added = self.updated = self.unchanged = 0

    def make(self, advance: Callable[[int], None] = lambda rows: None) -> None:
        """Compare every staged row with the list, within the connection's transaction; may be repeated."""
        self._clear()
        self.drop()
        _metadata.create_all(self._connection, checkfirst=False)
        self.revision = current_revision(self._connection)
        now = utcnow()
        list_is_empty = self._connection.scalar(sa.select(_LIST.c.id).limit(1)) is None
        for chunk in self._staged.chunks():
            present = {} if list_is_empty else self._present([row.icao_hex for row in chunk])
            self._compare(chunk, present, now)
            advance(len(chunk))

    def carry_out(self, revision: int) -> None:
        """Change the list, which must still be at the plan's revision; ``revision`` is the new one."""
        new = sa.select(*_added.columns, sa.literal(revision))
        self._connection.execute(
            sa.insert(_LIST).from_select([*(column.name for column in _NEW), "revision"], new.order_by("icao_hex"))
        )
        values = {column.name: _changed.c[column.name] for column in _CHANGED}
        self._connection.execute(
            sa.update(_LIST).where(_LIST.c.id == _changed.c.known_id).values(**values, revision=revision)
        )

    def drop(self) -> None:
        """Remove the temporary tables, if they are there."""
        for table in (_added, _changed):
            self._connection.execute(sa.schema.DropTable(table, if_exists=True))

    def _present(self, addresses: list[str]) -> dict[str, Any]:
        rows = self._connection.execute(sa.select(_LIST).where(_LIST.c.icao_hex.in_(addresses)))
        return {row.icao_hex: row for row in rows}

    def _compare(self, chunk: list[StagedRow], present: dict[str, Any], now: datetime) -> None:
        added: list[dict[str, Any]] = []
        changed: list[dict[str, Any]] = []
        for row in chunk:
            entry = present.get(row.icao_hex)
            if entry is None:
                added.append(new_entry(row, now))
            elif changes := changes_of(entry, row, now):
                columns = {column.name: getattr(entry, column.name) for column in _CHANGED}
                changed.append({"known_id": entry.id, **columns, **changes, "updated_at": now})
            else:
                self.unchanged += 1
        self.added += len(added)
        self.updated += len(changed)
        for table, rows in ((_added, added), (_changed, changed)):
            if rows and not self._dry_run:
                self._connection.execute(sa.insert(table), rows)


def new_entry(row: StagedRow, now: datetime) -> dict[str, Any]:
    """The columns of an entry that a row adds."""
    entry = {**defaults(), **row.derived, **row.fields}
    verified = entry["verified"] == "true"
    return {
        **entry,
        "icao_hex": row.icao_hex,
        "verified": verified,
        "verified_at": now if verified else None,
        "times_detected": 0,
        "last_detected": None,
        "created_at": now,
        "updated_at": now,
        "edited_fields": [],
        **derived_columns(row.icao_hex, entry["registration"], entry["agency_name"]),
    }


def changes_of(entry: Any, row: StagedRow, now: datetime) -> dict[str, Any]:
    """The columns of an entry that a row changes, with their new values.

    Fields that were edited by hand are not changed, an empty field is ignored, and a value derived by rule never
    replaces an existing one.
    """
    changes: dict[str, Any] = {}
    for name, value in row.fields.items():
        if name not in entry.edited_fields and name != "verified" and getattr(entry, name) != value:
            changes[name] = value
    for name, value in row.derived.items():
        if name not in entry.edited_fields and getattr(entry, name) in ("", "unknown") and value != "unknown":
            changes[name] = value
    if "verified" in row.fields and "verified" not in entry.edited_fields and not entry.verified:
        changes |= {"verified": True, "verified_at": now}
    # A process of the version before may have written the entry.
    texts = {name: changes.get(name, getattr(entry, name)) for name in ("icao_hex", "registration", "agency_name")}
    derived = derived_columns(**texts)
    return changes | {name: value for name, value in derived.items() if getattr(entry, name) != value}
