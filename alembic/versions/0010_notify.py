"""Notifications: channels, deliveries, browsers that take Web Push, and the installation's keys.

Revision ID: 0010
Revises: 0009
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
WHEN = sa.DateTime(timezone=True)
DOCUMENT = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    _channels()
    _deliveries()
    op.create_table(
        "notify_browsers",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("endpoint_hash", sa.String(64), nullable=False),
        sa.Column("public_key", sa.String(120), nullable=False),
        sa.Column("auth_secret", sa.String(40), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("last_success_at", WHEN),
        sa.PrimaryKeyConstraint("id", name="pk_notify_browsers"),
        sa.UniqueConstraint("endpoint_hash", name="uq_notify_browsers_endpoint_hash"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_notify_browsers_user_id_users", ondelete="CASCADE"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_notify_browsers_user_id", "notify_browsers", ["user_id"])
    op.create_table(
        "notify_keys",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("private_key", sa.Text(), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_notify_keys"),
    )


def _channels() -> None:
    op.create_table(
        "notify_channels",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("secret", sa.String(120), nullable=False),
        sa.Column("previous_secret", sa.String(120), nullable=False),
        sa.Column("previous_secret_until", WHEN),
        sa.Column("sources", DOCUMENT, nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("minimum_priority", sa.String(8), nullable=False),
        sa.Column("rate_per_minute", sa.Integer(), nullable=False),
        sa.Column("digest_s", sa.Integer()),
        sa.Column("send_cleared", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("last_success_at", WHEN),
        sa.Column("last_error", sa.String(200)),
        sa.Column("last_error_at", WHEN),
        sa.Column("lease", sa.String(32)),
        sa.Column("leased_until", WHEN),
        sa.Column("paused_until", WHEN),
        sa.Column("window_at", WHEN),
        sa.Column("window_count", sa.Integer(), nullable=False),
        sa.Column("over_rate", sa.Boolean(), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("updated_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_notify_channels"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_notify_channels_user_id_users", ondelete="CASCADE"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_notify_channels_user_id", "notify_channels", ["user_id"])


def _deliveries() -> None:
    op.create_table(
        "notify_deliveries",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("message_id", sa.String(40), nullable=False),
        sa.Column("channel_id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("event", sa.String(40), nullable=False),
        sa.Column("subject_id", BIG_ID),
        sa.Column("rule_id", BIG_ID),
        sa.Column("priority", sa.String(8), nullable=False),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("body", DOCUMENT, nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", WHEN),
        sa.Column("expires_at", WHEN, nullable=False),
        sa.Column("batch", sa.String(40)),
        sa.Column("reached", DOCUMENT, nullable=False),
        sa.Column("last_error", sa.String(200)),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("delivered_at", WHEN),
        sa.PrimaryKeyConstraint("id", name="pk_notify_deliveries"),
        sa.UniqueConstraint("message_id", name="uq_notify_deliveries_message_id"),
        sa.ForeignKeyConstraint(
            ["channel_id"],
            ["notify_channels.id"],
            name="fk_notify_deliveries_channel_id_notify_channels",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_notify_deliveries_user_id_users", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    for columns in (
        ("state", "next_at"),
        ("channel_id", "state"),
        ("kind", "subject_id"),
        ("user_id", "created_at"),
        ("rule_id",),
        ("batch",),
        ("created_at",),
    ):
        op.create_index(f"ix_notify_deliveries_{'_'.join(columns)}", "notify_deliveries", list(columns))


def downgrade() -> None:
    for table in ("notify_keys", "notify_browsers", "notify_deliveries", "notify_channels"):
        op.drop_table(table)
