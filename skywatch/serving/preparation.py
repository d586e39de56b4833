"""Prepares a database: its schema, and the rows without which nobody could sign in or be notified; safe to repeat."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from skywatch.accounts.changes import begin_change
from skywatch.accounts.defaults import install
from skywatch.core.database.engine import SessionFactory, sqlite_file, writing
from skywatch.core.database.migrations import upgrade
from skywatch.notify.push.vapid import install as install_vapid_key
from skywatch.settings import Settings, SettingsError


def prepare(engine: Engine, sessions: SessionFactory) -> tuple[bool, list[str]]:
    """Create or upgrade the schema, and add default roles and access settings.

    Returns whether the schema is that of this release, and what was added; raises DatabaseError. The columns of the
    engine must be sealed before.
    """
    is_own = upgrade(engine)
    with writing(sessions) as session:
        begin_change(session)
        added = install(session)
        install_vapid_key(session)
    return is_own, added


def make_folder(settings: Settings) -> None:
    """In development, create the folder of an SQLite file: in a fresh checkout there is no ``var``.

    Raises SettingsError where that is impossible.
    """
    database = sqlite_file(settings.database_url)
    if database is not None and settings.environment == "development":
        try:
            database.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise SettingsError("database_url", f"{database.parent} cannot be created: {error.strerror}") from None


def is_empty(engine: Engine) -> bool:
    """Return whether a database has no tables."""
    return not sa.inspect(engine).get_table_names()
