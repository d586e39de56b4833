"""Schema migrations from a checkout and from an installed package: upgrade, and whether code and schema agree."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from skywatch.core.database.engine import DatabaseAwayError, DatabaseError, damage, is_damaged, is_outage, reason

PACKAGE = Path(__file__).resolve().parents[2]
# The version that upgrades schemas from before the oldest migration of this one.
VERSION_FOR_OLDER = "0.1.0"


def script_location() -> Path:
    """Where the migrations are: ``skywatch/migrations`` when installed, ``alembic/`` next to it in a checkout."""
    installed = PACKAGE / "migrations"
    return installed if (installed / "env.py").exists() else PACKAGE.parent / "alembic"


def configuration(engine: Engine | None = None) -> Config:
    """An alembic configuration; ``engine`` is the one the migrations run on."""
    config = Config()
    config.set_main_option("script_location", str(script_location()).replace("%", "%%"))
    config.attributes["engine"] = engine
    return config


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Bring the schema up to ``revision``; raises DatabaseError where no migration leads on from the schema."""
    _refuse_unknown(engine)
    command.upgrade(configuration(engine), revision)


def upgrade_within(connection: Connection) -> None:
    """Bring the schema up to date within the transaction of a connection to PostgreSQL; raises DatabaseError."""
    config = configuration()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def downgrade(engine: Engine, revision: str = "base") -> None:
    """Take the schema back to ``revision``."""
    command.downgrade(configuration(engine), revision)


def check_schema(engine: Engine) -> None:
    """Raise DatabaseError unless the schema is exactly the one this code was written for; where it cannot be read at
    present, DatabaseAwayError."""
    try:
        _refuse_unknown(engine)
        with engine.connect() as connection:
            heads = set(MigrationContext.configure(connection).get_current_heads())
    except SQLAlchemyError as error:
        if is_damaged(error):
            raise DatabaseError(f"setting database_url: the database {damage(error)}") from None
        if not is_outage(error):
            raise
        raise DatabaseAwayError(f"the schema of the database cannot be read: {reason(error)}") from None
    if heads != set(ScriptDirectory.from_config(configuration()).get_heads()):
        state = "has no Skywatch schema yet" if not heads else "has an older schema"
        raise DatabaseError(f"setting database_url: the database {state}; run `skywatch init FILE.ini`")


def _refuse_unknown(engine: Engine) -> None:
    """Raise DatabaseError where the schema has a revision that this version does not have."""
    scripts = ScriptDirectory.from_config(configuration())
    with engine.connect() as connection:
        heads = MigrationContext.configure(connection).get_current_heads()
    for head in heads:
        try:
            scripts.get_revision(head)
        except CommandError:
            raise DatabaseError(
                f"setting database_url: the schema (revision {head}) {_advice(head, scripts)}"
            ) from None


def why_unknown(revision: str) -> str:
    """Why this version cannot work with a schema of that revision; empty where it can."""
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
