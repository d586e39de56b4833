"""Cannonball: known aircraft, sessions, flight patterns and alerts.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

big_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
json_document = sa.JSON().with_variant(JSONB(), "postgresql")
moment = sa.DateTime(timezone=True)


def upgrade() -> None:
    _known_aircraft()
    _sessions_and_patterns()
    _alerts()


def _known_aircraft() -> None:
    op.create_table(
        "cannonball_known_aircraft",
        sa.Column("id", big_id, nullable=False),
        sa.Column("icao_hex", sa.String(6), nullable=False),
        sa.Column("registration", sa.String(12), nullable=False),
        sa.Column("aircraft_type", sa.String(8), nullable=False),
        sa.Column("aircraft_model", sa.String(120), nullable=False),
        sa.Column("agency_name", sa.String(160), nullable=False),
        sa.Column("agency_type", sa.String(10), nullable=False),
        sa.Column("agency_state", sa.String(2), nullable=False),
        sa.Column("agency_city", sa.String(80), nullable=False),
        sa.Column("source", sa.String(10), nullable=False),
        sa.Column("source_url", sa.String(500), nullable=False),
        sa.Column("verified", sa.Boolean(), nullable=False),
        sa.Column("verified_at", moment),
        sa.Column("times_detected", sa.Integer(), nullable=False),
        sa.Column("last_detected", moment),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("updated_at", moment, nullable=False),
        sa.Column("edited_fields", json_document, nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_cannonball_known_aircraft"),
        sa.UniqueConstraint("icao_hex", name="uq_cannonball_known_aircraft_icao_hex"),
    )
    op.create_index("ix_cannonball_known_aircraft_revision", "cannonball_known_aircraft", ["revision"])
    revisions = op.create_table(
        "cannonball_known_revision",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_cannonball_known_revision"),
    )
    op.bulk_insert(revisions, [{"id": 1, "revision": 0}])
    op.create_table(
        "cannonball_known_removals",
        sa.Column("id", big_id, nullable=False),
        sa.Column("icao_hex", sa.String(6), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_cannonball_known_removals"),
    )
    op.create_index("ix_cannonball_known_removals_revision", "cannonball_known_removals", ["revision"])


def _sessions_and_patterns() -> None:
    op.create_table(
        "cannonball_sessions",
        sa.Column("id", big_id, nullable=False),
        sa.Column(
            "user_id",
            big_id,
            sa.ForeignKey("users.id", ondelete="CASCADE", name="fk_cannonball_sessions_user_id_users"),
            nullable=False,
        ),
        sa.Column("icao_hex", sa.String(7), nullable=False),
        sa.Column("callsign", sa.String(8), nullable=False),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("identification", sa.String(10), nullable=False),
        sa.Column(
            "known_aircraft_id",
            big_id,
            sa.ForeignKey(
                "cannonball_known_aircraft.id", ondelete="SET NULL", name="fk_cannonball_sessions_known_aircraft_id"
            ),
        ),
        sa.Column("agency_name", sa.String(160), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("threat_level", sa.String(8), nullable=False),
        sa.Column("peak_threat_level", sa.String(8), nullable=False),
        sa.Column("urgency_score", sa.Double(), nullable=False),
        sa.Column("peak_urgency_score", sa.Double(), nullable=False),
        sa.Column("distance_nm", sa.Double(), nullable=False),
        sa.Column("closest_nm", sa.Double(), nullable=False),
        sa.Column("bearing", sa.Double(), nullable=False),
        sa.Column("closing_speed_kts", sa.Double(), nullable=False),
        sa.Column("started_at", moment, nullable=False),
        sa.Column("last_seen", moment, nullable=False),
        sa.Column("ended_at", moment),
        sa.Column("end_reason", sa.String(24)),
        sa.Column("pattern_count", sa.Integer(), nullable=False),
        sa.Column("alert_count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_cannonball_sessions"),
    )
    for columns in (["user_id", "is_active"], ["user_id", "started_at"]):
        op.create_index(f"ix_cannonball_sessions_{'_'.join(columns)}", "cannonball_sessions", columns)
    for column in ("icao_hex", "known_aircraft_id", "is_active", "started_at"):
        op.create_index(f"ix_cannonball_sessions_{column}", "cannonball_sessions", [column])
    op.create_table(
        "cannonball_patterns",
        sa.Column("id", big_id, nullable=False),
        sa.Column("key", sa.String(80), nullable=False),
        sa.Column("icao_hex", sa.String(7), nullable=False),
        sa.Column("callsign", sa.String(8), nullable=False),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("pattern_type", sa.String(20), nullable=False),
        sa.Column("is_surveillance", sa.Boolean(), nullable=False),
        sa.Column("confidence", sa.String(8), nullable=False),
        sa.Column("confidence_score", sa.Double(), nullable=False),
        sa.Column("center_lat", sa.Double(), nullable=False),
        sa.Column("center_lon", sa.Double(), nullable=False),
        sa.Column("radius_nm", sa.Double(), nullable=False),
        sa.Column("started_at", moment, nullable=False),
        sa.Column("ended_at", moment),
        sa.Column("duration_s", sa.Double(), nullable=False),
        sa.Column("details", json_document, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_cannonball_patterns"),
        sa.UniqueConstraint("key", name="uq_cannonball_patterns_key"),
    )
    for column in ("icao_hex", "started_at", "ended_at"):
        op.create_index(f"ix_cannonball_patterns_{column}", "cannonball_patterns", [column])
    op.create_table(
        "cannonball_session_patterns",
        sa.Column("session_id", big_id, nullable=False),
        sa.Column("pattern_id", big_id, nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["cannonball_sessions.id"],
            ondelete="CASCADE",
            name="fk_cannonball_session_patterns_session_id_cannonball_sessions",
        ),
        sa.ForeignKeyConstraint(
            ["pattern_id"],
            ["cannonball_patterns.id"],
            ondelete="CASCADE",
            name="fk_cannonball_session_patterns_pattern_id_cannonball_patterns",
        ),
        sa.PrimaryKeyConstraint("session_id", "pattern_id", name="pk_cannonball_session_patterns"),
    )
    op.create_index("ix_cannonball_session_patterns_pattern_id", "cannonball_session_patterns", ["pattern_id"])


def _alerts() -> None:
    op.create_table(
        "cannonball_alerts",
        sa.Column("id", big_id, nullable=False),
        sa.Column(
            "user_id",
            big_id,
            sa.ForeignKey("users.id", ondelete="CASCADE", name="fk_cannonball_alerts_user_id_users"),
            nullable=False,
        ),
        sa.Column("session_id", big_id, nullable=False),
        sa.Column("pattern_id", big_id),
        sa.Column("session_icao", sa.String(7), nullable=False),
        sa.Column("session_callsign", sa.String(8), nullable=False),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("alert_type", sa.String(20), nullable=False),
        sa.Column("priority", sa.String(8), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("aircraft_lat", sa.Double(), nullable=False),
        sa.Column("aircraft_lon", sa.Double(), nullable=False),
        sa.Column("aircraft_altitude", sa.Integer()),
        sa.Column("user_lat", sa.Double(), nullable=False),
        sa.Column("user_lon", sa.Double(), nullable=False),
        sa.Column("distance_nm", sa.Double(), nullable=False),
        sa.Column("bearing", sa.Double(), nullable=False),
        sa.Column("notified", sa.Boolean(), nullable=False),
        sa.Column("announced", sa.Boolean(), nullable=False),
        sa.Column("acknowledged", sa.Boolean(), nullable=False),
        sa.Column("acknowledged_at", moment),
        sa.Column("created_at", moment, nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["cannonball_sessions.id"],
            ondelete="CASCADE",
            name="fk_cannonball_alerts_session_id_cannonball_sessions",
        ),
        sa.ForeignKeyConstraint(
            ["pattern_id"],
            ["cannonball_patterns.id"],
            ondelete="SET NULL",
            name="fk_cannonball_alerts_pattern_id_cannonball_patterns",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_cannonball_alerts"),
    )
    for columns in (["user_id", "created_at"], ["session_id"], ["pattern_id"], ["created_at"]):
        op.create_index(f"ix_cannonball_alerts_{'_'.join(columns)}", "cannonball_alerts", columns)


def downgrade() -> None:
    for table in (
        "cannonball_alerts",
        "cannonball_session_patterns",
        "cannonball_patterns",
        "cannonball_sessions",
        "cannonball_known_removals",
        "cannonball_known_revision",
        "cannonball_known_aircraft",
    ):
        op.drop_table(table)
