"""Accounts: users, roles, assignments, logins, API keys, access settings; and the audit log.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON().with_variant(JSONB(), "postgresql")
WHEN = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("username", sa.String(64), nullable=False),
        sa.Column("username_key", sa.String(64), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("email_key", sa.String(254)),
        sa.Column("display_name", sa.String(120), nullable=False),
        sa.Column("password_hash", sa.String(255)),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("auth_provider", sa.String(32), nullable=False),
        sa.Column("preferences", JSON, nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("updated_at", WHEN, nullable=False),
        sa.Column("last_login", WHEN),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("username_key", name="uq_users_username_key"),
        sa.UniqueConstraint("email_key", name="uq_users_email_key"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "roles",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("display_name", sa.String(120), nullable=False),
        sa.Column("description", sa.String(1000), nullable=False),
        sa.Column("permissions", JSON, nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("is_system", sa.Boolean(), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("updated_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_roles"),
        sa.UniqueConstraint("name", name="uq_roles_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "user_roles",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("role_id", BIG_ID, nullable=False),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("expires_at", WHEN),
        sa.Column("assigned_by", BIG_ID),
        sa.Column("created_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_user_roles"),
        sa.UniqueConstraint("user_id", "role_id", "source", name="uq_user_roles_user_id_role_id_source"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_user_roles_user_id_users", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["role_id"], ["roles.id"], name="fk_user_roles_role_id_roles", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["assigned_by"], ["users.id"], name="fk_user_roles_assigned_by_users", ondelete="SET NULL"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_user_roles_role_id", "user_roles", ["role_id"])
    op.create_index("ix_user_roles_assigned_by", "user_roles", ["assigned_by"])
    op.create_table(
        "logins",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("method", sa.String(16), nullable=False),
        sa.Column("refresh_id", sa.String(32), nullable=False),
        sa.Column("network", sa.String(64)),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("expires_at", WHEN, nullable=False),
        sa.Column("ended_at", WHEN),
        sa.Column("ended_reason", sa.String(32)),
        sa.PrimaryKeyConstraint("id", name="pk_logins"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_logins_user_id_users", ondelete="CASCADE"),
    )
    op.create_index("ix_logins_user_id_network", "logins", ["user_id", "network"])
    op.create_index("ix_logins_expires_at", "logins", ["expires_at"])
    op.create_table(
        "api_keys",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("key_prefix", sa.String(16), nullable=False),
        sa.Column("key_hash", sa.String(64), nullable=False),
        sa.Column("scopes", JSON, nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("expires_at", WHEN),
        sa.Column("last_used_at", WHEN),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.UniqueConstraint("key_hash", name="uq_api_keys_key_hash"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_api_keys_user_id_users", ondelete="CASCADE"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_api_keys_user_id", "api_keys", ["user_id"])
    op.create_table(
        "feature_access",
        sa.Column("feature", sa.String(32), nullable=False),
        sa.Column("read_access", sa.String(16), nullable=False),
        sa.Column("write_access", sa.String(16), nullable=False),
        sa.Column("is_enabled", sa.Boolean(), nullable=False),
        sa.Column("updated_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("feature", name="pk_feature_access"),
    )
    version = op.create_table(
        "access_version",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", BIG_ID, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_access_version"),
    )
    op.bulk_insert(version, [{"id": 1, "version": 0}])
    op.create_table(
        "audit_entries",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("actor_id", BIG_ID),
        sa.Column("actor_name", sa.String(254), nullable=False),
        sa.Column("method", sa.String(16), nullable=False),
        sa.Column("address", sa.String(64)),
        sa.Column("request_id", sa.String(128)),
        sa.Column("target_type", sa.String(32)),
        sa.Column("target_id", sa.String(64)),
        sa.Column("target_name", sa.String(254)),
        sa.Column("before", JSON),
        sa.Column("after", JSON),
        sa.PrimaryKeyConstraint("id", name="pk_audit_entries"),
    )
    op.create_index("ix_audit_entries_at", "audit_entries", ["at"])
    op.create_index("ix_audit_entries_actor_id", "audit_entries", ["actor_id"])
    op.create_index("ix_audit_entries_action", "audit_entries", ["action"])


def downgrade() -> None:
    for table in (
        "audit_entries",
        "access_version",
        "feature_access",
        "api_keys",
        "logins",
        "user_roles",
        "roles",
        "users",
    ):
        op.drop_table(table)
