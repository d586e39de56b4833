"""Which aircraft are military, in one place, and which aircraft deliveries and regions are about.

Rows keep saying whether their aircraft was military when they were written: older releases ask that of them.

Revision ID: 0040
Revises: 0039
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

json_document = sa.JSON().with_variant(JSONB(), "postgresql")
# Tables whose rows are about one aircraft, and were marked by lists, addresses and what receivers reported.
MARKED = ("history_flights", "acars_messages", "alerts", "audio_transmissions", "cannonball_patterns")
OLD_INDEX = "ix_history_flights_first_seen_at_military_emergency_active"
NEW_INDEX = "ix_history_flights_first_seen_at"


def upgrade() -> None:
    op.create_table(
        "military_aircraft",
        sa.Column("icao_hex", sa.String(7), nullable=False),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.Column("reported_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("decided", sa.Boolean(), nullable=True),
        sa.PrimaryKeyConstraint("icao_hex", name="pk_military_aircraft"),
    )
    op.create_table(
        "military_revision",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_military_revision"),
    )
    _record_military()
    # The default serves the version before, which writes rows without the column.
    for table in ("notify_deliveries", "safety_regions"):
        op.add_column(table, sa.Column("aircraft", json_document, nullable=False, server_default="[]"))
    _name_aircraft(op.get_bind())
    # Counts of what a caller may see are read from the index alone.
    op.create_index(NEW_INDEX, "history_flights", ["first_seen_at", "icao_hex", "military", "emergency", "active"])
    op.drop_index(OLD_INDEX, "history_flights")


def downgrade() -> None:
    op.create_index(OLD_INDEX, "history_flights", ["first_seen_at", "military", "emergency", "active"])
    op.drop_index(NEW_INDEX, "history_flights")
    for table in ("safety_regions", "notify_deliveries"):
        op.drop_column(table, "aircraft")
    op.drop_table("military_revision")
    op.drop_table("military_aircraft")


def _record_military() -> None:
    """Record what imported lists say, and of other aircraft what the rows about them say."""
    columns = "INSERT INTO military_aircraft (icao_hex, military, listed, reported_at) SELECT DISTINCT icao_hex, true,"
    op.execute(f"{columns} true, CAST(NULL AS TIMESTAMP) FROM airframes WHERE flags & 1 <> 0")
    for table in MARKED:
        op.execute(
            f"{columns} false, CURRENT_TIMESTAMP FROM {table} WHERE military AND icao_hex IS NOT NULL"
            " ON CONFLICT (icao_hex) DO NOTHING"
        )


def _name_aircraft(connection: sa.Connection) -> None:
    """Name the aircraft of deliveries and of regions, by what they are about."""
    events = sa.table("safety_events", sa.column("id"), sa.column("key"), sa.column("hexes", json_document))
    deliveries = sa.table(
        "notify_deliveries",
        *(sa.column(name) for name in ("id", "kind", "subject_id")),
        sa.column("body", json_document),
        sa.column("aircraft", json_document),
    )
    regions = sa.table("safety_regions", sa.column("region"), sa.column("aircraft", json_document))
    hexes = {row.id: row.hexes for row in connection.execute(sa.select(events.c.id, events.c.hexes))}
    for row in connection.execute(sa.select(deliveries).order_by(deliveries.c.id)).all():
        named = hexes.get(row.subject_id) if row.kind == "safety" else None
        aircraft = named if isinstance(named, list) else _named(row.body)
        if aircraft:
            update = sa.update(deliveries).where(deliveries.c.id == row.id)
            connection.execute(update.values(aircraft=aircraft))
    for key, named in connection.execute(
        sa.select(events.c.key, events.c.hexes).where(events.c.key.startswith("region:"))
    ).all():
        connection.execute(sa.update(regions).where(regions.c.region == key).values(aircraft=named))


def _named(body: object) -> list[str]:
    """The aircraft that the document of a notification names."""
    if not isinstance(body, dict):
        return []
    matched = [entry.get("icao_hex") for entry in body.get("matched") or () if isinstance(entry, dict)]
    named = (body.get("icao_hex"), body.get("icao_hex_2"), body.get("session_icao"), *matched)
    return sorted({address for address in named if isinstance(address, str)})
