"""Alert rules, geofences, watch lists, subscriptions, what matches now, and alerts.

Revision ID: 0015
Revises: 0014
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
WHEN = sa.DateTime(timezone=True)
DOCUMENT = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    _rules()
    _subscriptions()
    _geofences()
    _watchlists()
    op.create_table(
        "alert_revision",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_alert_revision"),
    )
    op.execute("INSERT INTO alert_revision (id, revision) VALUES (1, 1)")
    _matches()
    _alerts()


def _owner(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=f"fk_{table}_user_id_users", ondelete="CASCADE")


def _of_rule(table: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_rule_id_alert_rules"
    return sa.ForeignKeyConstraint(["rule_id"], ["alert_rules.id"], name=name, ondelete="CASCADE")


def _rules() -> None:
    op.create_table(
        "alert_rules",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("priority", sa.String(8), nullable=False),
        sa.Column("conditions", DOCUMENT, nullable=False),
        sa.Column("for_s", sa.Double(), nullable=False),
        sa.Column("cooldown_s", sa.Integer(), nullable=False),
        sa.Column("count", DOCUMENT),
        sa.Column("starts_at", WHEN),
        sa.Column("expires_at", WHEN),
        sa.Column("quiet_hours", DOCUMENT, nullable=False),
        sa.Column("channels", DOCUMENT, nullable=False),
        sa.Column("visibility", sa.String(8), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("mqtt", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("adopted_revision", sa.Integer(), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("updated_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_alert_rules"),
        _owner("alert_rules"),
    )
    op.create_index("ix_alert_rules_user_id", "alert_rules", ["user_id"])


def _subscriptions() -> None:
    op.create_table(
        "alert_subscriptions",
        sa.Column("rule_id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("channels", DOCUMENT, nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("rule_id", "user_id", name="pk_alert_subscriptions"),
        _of_rule("alert_subscriptions"),
        _owner("alert_subscriptions"),
    )
    op.create_index("ix_alert_subscriptions_user_id", "alert_subscriptions", ["user_id"])


def _geofences() -> None:
    op.create_table(
        "alert_geofences",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("geometry", DOCUMENT, nullable=False),
        sa.Column("floor_ft", sa.Double()),
        sa.Column("ceiling_ft", sa.Double()),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("updated_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_alert_geofences"),
        _owner("alert_geofences"),
    )
    op.create_index("ix_alert_geofences_user_id", "alert_geofences", ["user_id"])


def _watchlists() -> None:
    op.create_table(
        "alert_watchlists",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("entries", sa.Text(), nullable=False),
        sa.Column("entry_count", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("updated_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_alert_watchlists"),
        _owner("alert_watchlists"),
    )
    op.create_index("ix_alert_watchlists_user_id", "alert_watchlists", ["user_id"])


def _matches() -> None:
    op.create_table(
        "alert_matches",
        sa.Column("rule_id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("icao_hex", sa.String(7), nullable=False),
        sa.Column("matching", sa.Boolean(), nullable=False),
        sa.Column("fired_at", WHEN),
        sa.Column("alert_id", BIG_ID),
        sa.Column("updated_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("rule_id", "user_id", "icao_hex", name="pk_alert_matches"),
        _of_rule("alert_matches"),
        _owner("alert_matches"),
    )
    op.create_index("ix_alert_matches_updated_at", "alert_matches", ["updated_at"])


def _alerts() -> None:
    op.create_table(
        "alerts",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID),
        sa.Column("rule_id", BIG_ID),
        sa.Column("rule_name", sa.String(120), nullable=False),
        sa.Column("priority", sa.String(8), nullable=False),
        sa.Column("icao_hex", sa.String(7)),
        sa.Column("callsign", sa.String(8)),
        sa.Column("registration", sa.String(12)),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("aircraft", DOCUMENT, nullable=False),
        sa.Column("matched", DOCUMENT, nullable=False),
        sa.Column("geofence", sa.String(120)),
        sa.Column("count", sa.Integer()),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("triggered_at", WHEN, nullable=False),
        sa.Column("cleared_at", WHEN),
        sa.Column("acknowledged", sa.Boolean(), nullable=False),
        sa.Column("acknowledged_by", sa.String(254)),
        sa.Column("acknowledged_at", WHEN),
        sa.PrimaryKeyConstraint("id", name="pk_alerts"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_alerts_user_id_users", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["rule_id"], ["alert_rules.id"], name="fk_alerts_rule_id_alert_rules", ondelete="SET NULL"
        ),
    )
    op.create_index("ix_alerts_triggered_at", "alerts", ["triggered_at"])
    for column in ("user_id", "rule_id", "icao_hex"):
        op.create_index(f"ix_alerts_{column}_triggered_at", "alerts", [column, "triggered_at"])


def downgrade() -> None:
    for table in (
        "alerts",
        "alert_matches",
        "alert_revision",
        "alert_watchlists",
        "alert_geofences",
        "alert_subscriptions",
        "alert_rules",
    ):
        op.drop_table(table)
