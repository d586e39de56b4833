"""The servers that some tests talk to: where they are, and what to do where there is none."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa

POSTGRESQL_URL = os.environ.get("TEST_POSTGRESQL_URL", "postgresql+psycopg://postgres@127.0.0.1:5432/postgres")
REDIS_URL = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/0")
MQTT_URL = os.environ.get("TEST_MQTT_URL", "mqtt://127.0.0.1:1883")


def skip_or_fail(reason: str) -> None:
    """Skip with a reason; in continuous integration that is a failure."""
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(f"not allowed to skip in CI: {reason}")
    pytest.skip(reason)


def require(url: str, what: str) -> str:
    """The URL, where something listens there."""
    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 0), timeout=2).close()
    except OSError:
        skip_or_fail(f"no {what} at {parts.hostname}:{parts.port}")
    return url


@contextmanager
def postgresql_database(template: str | None = None) -> Iterator[str]:
    """The URL of a new, empty database (or a copy of ``template``), dropped at the end."""
    url = sa.make_url(require(POSTGRESQL_URL, "PostgreSQL"))
    name = f"skywatch_test_{secrets.token_hex(6)}"
    admin = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with admin.connect() as connection:
        connection.exec_driver_sql(f'CREATE DATABASE "{name}"' + (f' TEMPLATE "{template}"' if template else ""))
    try:
        yield url.set(database=name).render_as_string(hide_password=False)
    finally:
        with admin.connect() as connection:
            connection.exec_driver_sql(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
