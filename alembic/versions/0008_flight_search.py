"""Indexes that answer searches for flights without reading the flights.

Revision ID: 0008
Revises: 0007
"""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

TABLE = "history_flights"
IN_TIME = "ix_history_flights_first_seen_at_id"
BY_CALLSIGN = "ix_history_flights_callsign_first_seen_at"
BY_TYPE = "ix_history_flights_aircraft_type_first_seen_at"
MARKS = ["military", "emergency", "active"]


def upgrade() -> None:
    for name in (IN_TIME, BY_CALLSIGN, BY_TYPE):
        op.drop_index(name, TABLE)
    op.create_index(f"{IN_TIME}_{'_'.join(MARKS)}", TABLE, ["first_seen_at", "id", *MARKS])
    pattern = {"callsign": "varchar_pattern_ops"}
    callsigns = ["callsign", "first_seen_at", "military"]
    op.create_index(f"{BY_CALLSIGN}_military", TABLE, callsigns, postgresql_ops=pattern)
    op.create_index(f"{BY_TYPE}_military", TABLE, ["aircraft_type", "first_seen_at", "military"])


def downgrade() -> None:
    for name in (f"{IN_TIME}_{'_'.join(MARKS)}", f"{BY_CALLSIGN}_military", f"{BY_TYPE}_military"):
        op.drop_index(name, TABLE)
    op.create_index(IN_TIME, TABLE, ["first_seen_at", "id"])
    for column in ("callsign", "aircraft_type"):
        op.create_index(f"ix_history_flights_{column}_first_seen_at", TABLE, [column, "first_seen_at"])
