"""Flights in half the room: whole numbers for times (SQLite), distances and positions, indexes of known values only.

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

TABLE = "history_flights"
TIMES = ("first_seen_at", "last_seen_at")
HUNDREDTHS = ("max_speed_kt", "distance_nm", "min_distance_nm", "max_distance_nm")
MICRODEGREES = ("first_lat", "first_lon", "last_lat", "last_lon")
STEPS = dict.fromkeys(HUNDREDTHS, 100) | dict.fromkeys(MICRODEGREES, 1_000_000)
# SQLite's texts of times have six decimals; unix milliseconds and back.
MILLISECONDS = "CAST(strftime('%s', {name}) AS INTEGER) * 1000 + CAST(substr({name}, 21, 3) AS INTEGER)"
TEXT = "strftime('%Y-%m-%d %H:%M:%S', {name} / 1000, 'unixepoch') || printf('.%03d000', {name} % 1000)"
# Columns of each index, and whether it holds only rows that have a value in the first of them.
BEFORE = (
    (["first_seen_at", "id", "military", "emergency", "active"], False),
    (["icao_hex", "first_seen_at"], False),
    (["callsign", "first_seen_at", "military"], False),
    (["registration", "first_seen_at"], False),
    (["aircraft_type", "first_seen_at", "military"], False),
)
AFTER = (
    (["first_seen_at", "military", "emergency", "active"], False),
    (["icao_hex", "first_seen_at"], False),
    (["callsign", "first_seen_at", "military"], True),
    (["registration", "first_seen_at"], True),
    (["aircraft_type", "first_seen_at", "military"], True),
)


def upgrade() -> None:
    _drop_indexes(BEFORE)
    if op.get_bind().dialect.name == "sqlite":
        _made_anew(sa.BigInteger(), MILLISECONDS, sa.Integer(), "CAST(round({name} * {steps}) AS INTEGER)")
    else:
        _retyped("integer", "round({name} * {steps})::integer")
    _create_indexes(AFTER)


def downgrade() -> None:
    _drop_indexes(AFTER)
    if op.get_bind().dialect.name == "sqlite":
        _made_anew(sa.DateTime(), TEXT, sa.Double(), "{name} / {steps}.0")
    else:
        _retyped("double precision", "{name} / {steps}.0")
    _create_indexes(BEFORE)


def _name(columns):
    return f"ix_{TABLE}_{'_'.join(columns)}"


def _drop_indexes(indexes):
    for columns, _ in indexes:
        op.drop_index(_name(columns), TABLE)


def _create_indexes(indexes):
    for columns, known_only in indexes:
        known = sa.text(f"{columns[0]} IS NOT NULL") if known_only else None
        operators = {"callsign": "varchar_pattern_ops"} if columns[0] == "callsign" else {}
        op.create_index(
            _name(columns), TABLE, columns, postgresql_ops=operators, postgresql_where=known, sqlite_where=known
        )


def _retyped(kind, formula):
    """PostgreSQL: all columns in one go, so that the table is rewritten once."""
    changes = (f"ALTER {name} TYPE {kind} USING {formula.format(name=name, steps=STEPS[name])}" for name in STEPS)
    op.execute(f"ALTER TABLE {TABLE} {', '.join(changes)}")


def _made_anew(time, time_formula, number, number_formula):
    """SQLite, which cannot change a column: the table is copied into a new one."""
    columns, values = [], []
    for column in sa.inspect(op.get_bind()).get_columns(TABLE):
        name, kind, formula = column["name"], column["type"], "{name}"
        if name in TIMES:
            kind, formula = time, time_formula
        elif name in STEPS:
            kind, formula = number, number_formula
        columns.append(sa.Column(name, kind, nullable=column["nullable"]))
        values.append(formula.format(name=name, steps=STEPS.get(name)))
    op.create_table(f"{TABLE}_new", *columns, sa.PrimaryKeyConstraint("id", name=f"pk_{TABLE}"))
    op.execute(f"INSERT INTO {TABLE}_new SELECT {', '.join(values)} FROM {TABLE}")  # noqa: S608
    op.drop_table(TABLE)
    op.rename_table(f"{TABLE}_new", TABLE)
