"""The servers and programs that some tests need: where they are, and what to do where there is none."""

from __future__ import annotations

import asyncio
import importlib
import os
import secrets
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn
from urllib.parse import urlsplit

import nats
import nats.js.errors
import pytest
import redis
import sqlalchemy as sa

from tests.waiting import PATIENCE_S

POSTGRESQL_URL = os.environ.get("TEST_POSTGRESQL_URL", "postgresql+psycopg://postgres@127.0.0.1:5432/postgres")
NATS_URL = os.environ.get("TEST_NATS_URL", "nats://127.0.0.1:4222")
REDIS_URL = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/0")


# Where Debian has programs of servers, outside of a user's path.
SEARCHED = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/usr/local/sbin"


# For what is refused before a database is asked: one kind shows it.
BEFORE_SQL = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def skip_or_fail(what: str, detail: str = "") -> NoReturn:
    """Skip because ``what`` is missing, by which the end of the run counts; in continuous integration fail."""
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(f"not allowed to skip in CI: {what} is missing; {detail}")
    pytest.skip(f"{what}: {detail}" if detail else what)


def module(name: str) -> Any:
    """A module of an extra that a test or all tests of a file need; skips where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        if os.environ.get("CI", "").lower() == "true":
            raise
        pytest.skip(f"{name}: not installed", allow_module_level=True)


def program(name: str) -> str:
    """The path of a program that a test starts; skips where it is not installed."""
    return shutil.which(name, path=SEARCHED) or skip_or_fail(name)


def browser_programs() -> tuple[str, str]:
    """Chromium and its driver; skips where one is not installed."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        skip_or_fail("Chromium with its driver")
    return binary, driver


def require(url: str, what: str) -> str:
    """The URL, where something listens there."""
    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 0), timeout=PATIENCE_S).close()
    except OSError:
        skip_or_fail(what, f"nothing listens at {parts.hostname}:{parts.port}")
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


@contextmanager
def redis_prefix() -> Iterator[str]:
    """The address of the Redis server with a prefix of its own for all keys, which are deleted at the end."""
    prefix = f"skywatch_test_{secrets.token_hex(6)}"
    yield f"{require(REDIS_URL, 'Redis')}?prefix={prefix}"
    with redis.Redis.from_url(REDIS_URL) as client:
        for key in client.scan_iter(match=f"{prefix}:*"):
            client.delete(key)


@contextmanager
def nats_prefix() -> Iterator[str]:
    """The address of the NATS server with a prefix of its own, whose bucket is deleted at the end."""
    prefix = f"skywatch_test_{secrets.token_hex(6)}"
    yield f"{require(NATS_URL, 'NATS')}?prefix={prefix}"

    async def delete() -> None:
        client = await nats.connect(NATS_URL, connect_timeout=PATIENCE_S)
        with suppress(nats.js.errors.NotFoundError):
            await client.jetstream(timeout=PATIENCE_S).delete_key_value(prefix)
        await client.close()

    asyncio.run(delete())
