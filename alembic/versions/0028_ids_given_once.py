"""SQLite: ids of deleted rules, geofences, watch lists, alerts and rows of Cannonball are not given again.

PostgreSQL gives none again. SQLite changes no key in place: a table is copied, dropped and the copy renamed, as
https://sqlite.org/lang_altertable.html#otheralter describes, with foreign keys off (see env.py).

Revision ID: 0028
Revises: 0027
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

BEFORE, AFTER = "PRIMARY KEY (id)", "PRIMARY KEY (id AUTOINCREMENT)"
# Tables, and where ids of their deleted rows may still stand.
TABLES: dict[str, tuple[str, ...]] = {
    "alert_rules": (
        "SELECT max(rule_id) FROM notify_deliveries",
        "SELECT max(CAST(value AS INTEGER)) FROM notify_publishers, json_each(announced)",
    ),
    "alert_geofences": (),
    "alert_watchlists": (),
    "alerts": (
        "SELECT max(subject_id) FROM notify_deliveries WHERE kind = 'alert'",
        "SELECT max(alert_id) FROM alert_matches",
        "SELECT max(position) FROM notify_publishers",
    ),
    "cannonball_known_aircraft": (),
    "cannonball_sessions": (
        "SELECT max(json_extract(body, '$.session')) FROM notify_deliveries WHERE kind = 'cannonball'",
    ),
    "cannonball_patterns": (
        "SELECT max(json_extract(body, '$.pattern')) FROM notify_deliveries WHERE kind = 'cannonball'",
    ),
    "cannonball_alerts": ("SELECT max(subject_id) FROM notify_deliveries WHERE kind = 'cannonball'",),
}


def upgrade() -> None:
    if op.get_bind().dialect.name != "sqlite":
        return
    _change_keys(BEFORE, AFTER)
    for table, named in TABLES.items():
        _start_above(table, f"SELECT max(id) FROM {table}", *named)  # noqa: S608 - the names are our own


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        _change_keys(AFTER, BEFORE)


def _change_keys(before: str, after: str) -> None:
    connection = op.get_bind()
    if _scalars("PRAGMA foreign_keys") != [0]:
        raise RuntimeError("foreign keys are on: dropping a table would delete the rows that refer to it")
    broken = _broken_references()
    # Views and triggers of the administrator's own may name the table: renaming must not look at them meanwhile.
    connection.exec_driver_sql("PRAGMA legacy_alter_table=ON")
    try:
        for table in TABLES:
            _make_anew(table, before, after)
    finally:
        connection.exec_driver_sql("PRAGMA legacy_alter_table=OFF")
    if added := _broken_references() - broken:
        raise RuntimeError(f"rows refer to rows that are not there any more: {list(added)[:5]}")


def _make_anew(table: str, before: str, after: str) -> None:
    """Copy a table, with its indexes and triggers, into one with another primary key."""
    (definition,) = _scalars("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", table)
    attached = _scalars(
        "SELECT sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND tbl_name = ? AND sql IS NOT NULL", table
    )
    columns = definition[definition.index("(") :]
    if columns.count(before) != 1:
        raise RuntimeError(f"the table {table} is not as Skywatch made it: it has no {before}")
    connection = op.get_bind()
    connection.exec_driver_sql(f"CREATE TABLE {table}_new {columns.replace(before, after)}")
    connection.exec_driver_sql(f"INSERT INTO {table}_new SELECT * FROM {table}")  # noqa: S608
    connection.exec_driver_sql(f"DROP TABLE {table}")
    connection.exec_driver_sql(f"ALTER TABLE {table}_new RENAME TO {table}")
    for statement in attached:
        connection.exec_driver_sql(statement)


def _start_above(table: str, *queries: str) -> None:
    """Give only ids above those that the queries find."""
    highest = max(number or 0 for query in queries for number in _scalars(query))
    sequence = sa.table("sqlite_sequence", sa.column("name"), sa.column("seq"))
    op.execute(sa.delete(sequence).where(sequence.c.name == table))
    op.execute(sa.insert(sequence).values(name=table, seq=highest))


def _broken_references() -> set[tuple[object, ...]]:
    """(table, id, table that it refers to, number of the foreign key) of rows whose reference leads nowhere."""
    return {tuple(row) for row in op.get_bind().exec_driver_sql("PRAGMA foreign_key_check")}


def _scalars(query: str, *parameters: str) -> list:
    return list(op.get_bind().exec_driver_sql(query, parameters).scalars())
