"""Stored write levels that had no effect so far become ``permission``; when refresh tokens were used.

Until this release ``authenticated`` granted nothing to anybody in these features, and neither did ``public`` for what
people keep of their own (alerts, feeders); now they let every user write. Nobody is let in by an upgrade: who wants it
sets the level again. Cannonball's level had its effect before and stays.

Revision ID: 0042
Revises: 0041
"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import context, op

from skywatch.core.database.engine import JSONDocument, UTCDateTime

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

# Feature -> the levels that had no effect.
LEVELS = {
    "alerts": ("authenticated", "public"),
    "audio": ("authenticated",),
    "feeders": ("authenticated", "public"),
    "safety": ("authenticated",),
}


def upgrade() -> None:
    op.create_table(
        "used_refresh_tokens",
        sa.Column("token_id", sa.String(32), nullable=False),
        sa.Column("login_id", sa.String(32), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["login_id"], ["logins.id"], name="fk_used_refresh_tokens_login_id_logins", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_id", name="pk_used_refresh_tokens"),
    )
    op.create_index("ix_used_refresh_tokens_login_id", "used_refresh_tokens", ["login_id"])
    _close_write_levels()


def _close_write_levels() -> None:
    access = sa.table(
        "feature_access", sa.column("feature"), sa.column("write_access"), sa.column("updated_at", UTCDateTime())
    )
    bind = op.get_bind()
    stored = {row.feature: row.write_access for row in bind.execute(sa.select(access))}
    closed = {name: stored[name] for name, levels in LEVELS.items() if stored.get(name) in levels}
    if not closed:
        return
    now = datetime.now(UTC)
    entries = sa.table(
        "audit_entries",
        *map(sa.column, ("action", "actor_name", "method", "target_type", "target_id", "target_name")),
        sa.column("at", UTCDateTime()),
        sa.column("before", JSONDocument),
        sa.column("after", JSONDocument),
    )
    for name, level in closed.items():
        bind.execute(
            sa.update(access).where(access.c.feature == name).values(write_access="permission", updated_at=now)
        )
        target = {"target_type": "feature_access", "target_id": name, "target_name": name}
        said = {"before": {"write_access": level}, "after": {"write_access": "permission"}}
        actor = {"actor_name": "command line", "method": "cli"}
        bind.execute(sa.insert(entries).values(at=now, action="feature_access.changed", **actor, **target, **said))
    # Processes that run meanwhile read the settings again.
    version = sa.table("access_version", sa.column("version"))
    bind.execute(sa.update(version).values(version=version.c.version + 1))
    for name, level in closed.items():
        context.config.print_stdout(
            "Write access of %s was `%s`, which let nobody write; it is `permission` now. Set `authenticated` to let"
            " every user write.",
            name,
            level,
        )


def downgrade() -> None:
    # Write levels stay: the release before grants the same at either.
    op.drop_index("ix_used_refresh_tokens_login_id", "used_refresh_tokens")
    op.drop_table("used_refresh_tokens")
