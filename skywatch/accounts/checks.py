"""What ``skywatch doctor`` checks of accounts: whether anybody can log in."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from skywatch.accounts.models import User
from skywatch.core.database.engine import DatabaseError, check_connection, create_engine
from skywatch.core.database.migrations import check_schema
from skywatch.core.terminal.finding import Finding, Inspection, warning


def check(inspection: Inspection) -> Iterator[Finding]:
    """Whether there is a user. Whether the database answers and has its schema is another check's finding."""
    try:
        engine = create_engine(inspection.settings.database_url)
    except DatabaseError:
        return
    try:
        check_connection(engine)
        check_schema(engine)
        with engine.connect() as connection:
            has_user = connection.scalar(sa.select(sa.select(User.id).exists()))
    except (DatabaseError, sa.exc.DBAPIError):
        return
    finally:
        engine.dispose()
    if not has_user:
        yield warning(
            "users",
            "there is none, so that nobody can log in",
            f"skywatch setup-link {inspection.ini} prints a link for the first administrator",
        )
