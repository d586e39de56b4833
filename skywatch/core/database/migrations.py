"""Schema migrations from a checkout and from an installed package: upgrade, and whether code and schema agree.

Which releases run on a schema: its own, and older ones back to the revision in its row ``compatible_from``. Migrations
expand: they add what older releases do not know and do not miss. What removes, renames or narrows something that older
releases use is a contract step. It names the revision that added what takes its place (``contracts``), and releases
from before that revision are refused from then on. ``release.migrations`` checks it.
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from skywatch.core.database.engine import DatabaseAwayError, DatabaseError, damage, is_damaged, is_outage, reason
from skywatch.core.database.models import SchemaProperty

# Alembic is imported where it is used: it takes a tenth of the time of a start and 9 MB, and a start whose schema is up
# to date does without it.
if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

log = logging.getLogger(__name__)
# For so long a migration tries to get its locks while processes run, with pauses in which they go first (s).
LOCKED_UP_TO_S, LOCK_PAUSE_S = 120.0, 1.0
_LOCK_NOT_AVAILABLE = "55P03"
PACKAGE = Path(__file__).resolve().parents[2]
# The version that upgrades schemas from before the oldest migration of this one.
VERSION_FOR_OLDER = "0.1.0"
COMPATIBLE_FROM = "compatible_from"
# The member of a migration that makes it a contract step.
CONTRACTS = "contracts"


def script_location() -> Path:
    """Where the migrations are: ``skywatch/migrations`` when installed, ``alembic/`` next to it in a checkout."""
    installed = PACKAGE / "migrations"
    return installed if (installed / "env.py").exists() else PACKAGE.parent / "alembic"


def location_in_ini() -> str:
    """The same for the section ``[alembic]`` of an ini file."""
    location = script_location()
    return "skywatch:migrations" if location.parent == PACKAGE else str(location)


def configuration(engine: Engine | None = None) -> Config:
    """An alembic configuration; ``engine`` is the one the migrations run on."""
    from alembic.config import Config

    config = Config(stdout=sys.stdout)
    config.set_main_option("script_location", str(script_location()).replace("%", "%%"))
    config.attributes["engine"] = engine
    return config


def upgrade(engine: Engine, revision: str = "head") -> bool:
    """Bring the schema up to ``revision``; False where it is that of a later release on which this one runs.

    While other processes run, a migration waits for the locks of their transactions, and lets them go first again and
    again. Raises DatabaseError where no migration leads on from the schema.
    """
    from alembic import command

    if _ahead(engine):
        return False
    deadline = time.monotonic() + LOCKED_UP_TO_S
    while True:
        try:
            command.upgrade(configuration(engine), revision)
        except OperationalError as error:
            if getattr(error.orig, "sqlstate", None) != _LOCK_NOT_AVAILABLE or time.monotonic() > deadline:
                raise
            time.sleep(LOCK_PAUSE_S)
        else:
            return True


def upgrade_within(connection: Connection, revision: str = "head") -> None:
    """Bring the schema up to ``revision`` within the transaction of a connection to PostgreSQL.

    Raises DatabaseError.
    """
    from alembic import command

    config = configuration()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def downgrade(engine: Engine, revision: str = "base") -> None:
    """Take the schema back to ``revision``."""
    from alembic import command

    command.downgrade(configuration(engine), revision)


def newest_revision() -> str:
    """The newest migration of this release, from the names of the files."""
    return max(path.name.partition("_")[0] for path in (script_location() / "versions").glob("[0-9]*_*.py"))


def check_schema(engine: Engine) -> None:
    """Raise DatabaseError unless this code runs on the schema: its own, or a later one that names it as compatible.

    Raises DatabaseAwayError where the schema cannot be read at present.
    """
    if not _is_up_to_date(engine):
        _check_history(engine)


def _is_up_to_date(engine: Engine) -> bool:
    """Whether the schema is that of this release; False also where it cannot be read."""
    try:
        with engine.connect() as connection:
            return connection.scalars(sa.text("SELECT version_num FROM alembic_version")).all() == [newest_revision()]
    except SQLAlchemyError:
        return False


def _check_history(engine: Engine) -> None:
    """``check_schema`` for a schema that is not the one of this release."""
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    try:
        ahead = _ahead(engine)
        with engine.connect() as connection:
            heads = set(MigrationContext.configure(connection).get_current_heads())
    except SQLAlchemyError as error:
        if is_damaged(error):
            raise DatabaseError(f"setting database_url: the database {damage(error)}") from None
        if not is_outage(error):
            raise
        raise DatabaseAwayError(f"the schema of the database cannot be read: {reason(error)}") from None
    own = set(ScriptDirectory.from_config(configuration()).get_heads())
    if ahead:
        log.info("the schema (revision %s) is that of a later release, and this one runs on it", ahead)
    elif heads != own:
        state = "has no Skywatch schema yet" if not heads else "has an older schema"
        raise DatabaseError(f"setting database_url: the database {state}; run `skywatch init FILE.ini`")


def _ahead(engine: Engine) -> str:
    """The revision of a schema of a later release on which this one runs; empty where it is one that this one has.

    Raises DatabaseError where this release neither has nor runs on the revision.
    """
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory
    from alembic.util.exc import CommandError

    scripts = ScriptDirectory.from_config(configuration())
    with engine.connect() as connection:
        for head in MigrationContext.configure(connection).get_current_heads():
            try:
                scripts.get_revision(head)
            except CommandError:
                oldest = compatible_from(connection)
                own = max(scripts.get_heads())
                if oldest is not None and head > own >= oldest:
                    return head
                later = f", and needs a release of revision {oldest} or later" if oldest and head > own else ""
                raise DatabaseError(
                    f"setting database_url: the schema (revision {head}) {_advice(head, scripts)}{later}"
                ) from None
    return ""


def why_unknown(revision: str) -> str:
    """Why this version cannot work with a schema of that revision; empty where it can."""
    from alembic.script import ScriptDirectory
    from alembic.util.exc import CommandError

    scripts = ScriptDirectory.from_config(configuration())
    try:
        scripts.get_revision(revision)
    except CommandError:
        return _advice(revision, scripts)
    return ""


def _advice(head: str, scripts: ScriptDirectory) -> str:
    """Why this version cannot upgrade a schema of revision ``head``, and what can be done."""
    oldest = min(scripts.get_bases())
    if head < oldest:
        return (
            f"is older than revision {oldest}: run `skywatch init FILE.ini` of Skywatch {VERSION_FOR_OLDER} first, "
            "then of this version"
        )
    return "is newer than this version of Skywatch"


def oldest_compatible(scripts: ScriptDirectory, revision: str) -> str:
    """The oldest revision whose code runs on the schema of ``revision``."""
    oldest = scripts.get_bases()[0]
    for script in scripts.iterate_revisions(revision, "base"):
        oldest = max(oldest, getattr(script.module, CONTRACTS, None) or oldest)
    return oldest


def record_compatible_from(connection: Connection, scripts: ScriptDirectory, revision: str) -> None:
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
