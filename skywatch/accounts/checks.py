"""What ``skywatch doctor`` checks of accounts: the secret of tokens, and whether anybody can log in."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from skywatch.accounts.models import FeatureAccessSetting, User
from skywatch.accounts.settings import AccountSettings, looks_like_several_secrets
from skywatch.core.database.engine import DatabaseError, check_connection, create_engine
from skywatch.core.database.migrations import check_schema
from skywatch.core.terminal.checks import Finding, Inspection, warning
from skywatch.http.clients.exposure import beyond_loopback, listen_addresses


def check(inspection: Inspection) -> Iterator[Finding]:
    """Whether tokens have the secret that is meant, who may read without a login, and whether there is a user.

    Whether the database answers and has its schema is another check's finding.
    """
    advice = looks_like_several_secrets(inspection.settings.of(AccountSettings))
    if advice is not None:
        yield warning("jwt_secret_key", *advice.split("; ", 1))
    try:
        engine = create_engine(inspection.settings.database_url)
    except DatabaseError:
        return
    try:
        check_connection(engine)
        check_schema(engine)
        with engine.connect() as connection:
            has_user = connection.scalar(sa.select(sa.select(User.id).exists()))
            opened = connection.scalars(
                sa.select(FeatureAccessSetting.feature)
                .where(FeatureAccessSetting.read_access == "public", FeatureAccessSetting.is_enabled)
                .order_by(FeatureAccessSetting.feature)
            ).all()
    except (DatabaseError, sa.exc.DBAPIError):
        return
    finally:
        engine.dispose()
    settings = inspection.settings
    reached = beyond_loopback(listen_addresses(settings, settings.roles))
    if opened and reached and settings.auth_mode == "hybrid":
        yield warning(
            "access",
            f"everybody who reaches {' and '.join(reached)} may read {', '.join(opened)}",
            "set the read access of what is not for everybody to `authenticated` (in the console: Who may see what)",
        )
    if not has_user:
        yield warning(
            "users",
            "there is none, so that nobody can log in",
            f"skywatch setup-link {inspection.ini} prints a link for the first administrator",
        )
