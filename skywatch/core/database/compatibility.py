"""Which releases run on a schema: its own, and older ones back to the revision in its row ``compatible_from``.

Migrations expand: they add what older releases do not know and do not miss. What removes, renames or narrows something
that older releases use is a contract step. It names the revision that added what takes its place (``contracts``), and
releases from before that revision are refused from then on. ``release.migrations`` checks it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from skywatch.core.database.models import SchemaProperty

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

COMPATIBLE_FROM = "compatible_from"
# The member of a migration that makes it a contract step.
CONTRACTS = "contracts"


def oldest_compatible(scripts: ScriptDirectory, revision: str) -> str:
    """The oldest revision whose code runs on the schema of ``revision``."""
    oldest = scripts.get_bases()[0]
    for script in scripts.iterate_revisions(revision, "base"):
        oldest = max(oldest, getattr(script.module, CONTRACTS, None) or oldest)
    return oldest


def record(connection: Connection, scripts: ScriptDirectory, revision: str) -> None:
    """Write the row for the schema of ``revision``, within the transaction of the migration that has led to it.

    Schemas from before the table have none.
    """
    if not sa.inspect(connection).has_table(SchemaProperty.__tablename__):
        return
    connection.execute(sa.delete(SchemaProperty).where(SchemaProperty.name == COMPATIBLE_FROM))
    value = oldest_compatible(scripts, revision)
    connection.execute(sa.insert(SchemaProperty).values(name=COMPATIBLE_FROM, value=value))


def compatible_from(connection: Connection) -> str | None:
    """The oldest revision whose code runs on this schema; None where the schema does not say."""
    if not sa.inspect(connection).has_table(SchemaProperty.__tablename__):
        return None
    return connection.scalar(sa.select(SchemaProperty.value).where(SchemaProperty.name == COMPATIBLE_FROM))
