"""Single sign-on: external identities, claim mappings, sign-ons under way and the provider's side of logins.

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
WHEN = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "external_identities",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", BIG_ID, nullable=False),
        sa.Column("issuer", sa.String(512), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("last_login", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_external_identities"),
        sa.UniqueConstraint("issuer", "subject", name="uq_external_identities_issuer_subject"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_external_identities_user_id_users", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_external_identities_user_id", "external_identities", ["user_id"])
    op.create_table(
        "claim_mappings",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("claim_name", sa.String(200), nullable=False),
        sa.Column("match_type", sa.String(16), nullable=False),
        sa.Column("claim_value", sa.String(500), nullable=False),
        sa.Column("role_id", BIG_ID, nullable=False),
        sa.Column("provider", sa.String(32)),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("updated_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_claim_mappings"),
        sa.UniqueConstraint("name", name="uq_claim_mappings_name"),
        sa.ForeignKeyConstraint(["role_id"], ["roles.id"], name="fk_claim_mappings_role_id_roles", ondelete="CASCADE"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_claim_mappings_role_id", "claim_mappings", ["role_id"])
    op.create_table(
        "pending_logins",
        sa.Column("state_hash", sa.String(64), nullable=False),
        sa.Column("browser_hash", sa.String(64), nullable=False),
        sa.Column("provider", sa.String(32), nullable=False),
        sa.Column("redirect_uri", sa.String(1024), nullable=False),
        sa.Column("opener_origin", sa.String(300), nullable=False),
        sa.Column("nonce", sa.String(64), nullable=False),
        sa.Column("verifier", sa.String(128), nullable=False),
        sa.Column("created_at", WHEN, nullable=False),
        sa.Column("expires_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("state_hash", name="pk_pending_logins"),
    )
    op.create_index("ix_pending_logins_browser_hash", "pending_logins", ["browser_hash"])
    op.create_index("ix_pending_logins_expires_at", "pending_logins", ["expires_at"])
    op.create_table(
        "external_logins",
        sa.Column("login_id", sa.String(32), nullable=False),
        sa.Column("provider", sa.String(32), nullable=False),
        sa.Column("issuer", sa.String(512), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("session_id", sa.String(255)),
        sa.Column("id_token", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("login_id", name="pk_external_logins"),
        sa.ForeignKeyConstraint(
            ["login_id"], ["logins.id"], name="fk_external_logins_login_id_logins", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_external_logins_issuer_subject", "external_logins", ["issuer", "subject"])
    op.create_table(
        "used_logout_tokens",
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("expires_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("token_hash", name="pk_used_logout_tokens"),
    )
    op.create_index("ix_used_logout_tokens_expires_at", "used_logout_tokens", ["expires_at"])


def downgrade() -> None:
    for table in ("used_logout_tokens", "external_logins", "pending_logins", "claim_mappings", "external_identities"):
        op.drop_table(table)
