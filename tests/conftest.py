"""Fixtures that all tests share: recordings, migrated databases, a runtime and the application under WebTest."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from skywatch.core.bus import open_bus, topics
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.database.migrations import upgrade
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry import fault_log
from skywatch.features import load
from skywatch.picture.state.sky import empty_sky
from skywatch.picture.storage import saved_picture as saved
from skywatch.settings import Settings
from tests import compiled_statements, shortcuts
from tests.accounts import TEST_SECRET
from tests.app_templates import make_app
from tests.contract import CheckedApp
from tests.database_pool import DatabasePool
from tests.lanes import tiers
from tests.lanes.costs import (
    pytest_runtest_logreport,
    pytest_runtest_makereport,
    pytest_runtest_teardown,
    pytest_sessionfinish,
    pytest_terminal_summary,
)
from tests.servers import nats_prefix, postgresql_database, redis_prefix, skip_or_fail
from tests.skies import NOW, show
from tests.waiting import PATIENCE_S

# A busy machine makes examples slow, which is no failure; and whether a change is good must not be left to chance.
# HYPOTHESIS_PROFILE=explore looks for new examples.
hypothesis_settings.register_profile(
    "skywatch", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.register_profile("explore", deadline=None)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "skywatch"))

# Most tests build an application of some 100,000 objects: the collector looked through all of them, again and again,
# for a third of the processor time of the suite.
gc.set_threshold(100_000, 20, 100)

# Hooks of pytest.
__all__ = [
    "TEST_SECRET",
    "pytest_runtest_logreport",
    "pytest_runtest_makereport",
    "pytest_runtest_teardown",
    "pytest_sessionfinish",
    "pytest_terminal_summary",
]

ROOT = Path(__file__).resolve().parent.parent


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Number cases of bytes instead of spelling them: a time stamp in them (gzip) would give each test process its own
    names, and the processes refuse to work on different tests."""
    return argname if isinstance(val, bytes) else None


LANES = ("unit", "functional", "integration")


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--tier`` chooses which tests run (``tests.lanes.tiers``); ``--plain`` how (``tests.shortcuts``)."""
    parser.addoption("--tier", choices=(*tiers.TIERS, "all"), help="test, rest, night or all; default: test and rest")
    parser.addoption("--plain", action="store_true", help="without the shortcuts of CONTRIBUTING, to debug a test")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marks of the tiers known, and take the shortcuts unless told otherwise."""
    shortcuts.taken = not config.getoption("plain")
    if shortcuts.taken:
        compiled_statements.share()
    for marker in tiers.MARKERS:
        config.addinivalue_line("markers", marker)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out modules that have no test of the tier; also for the packages that only `make test-all` installs."""
    if not collection_path.name.startswith("test_") or collection_path.suffix != ".py":
        return None
    is_named = any(Path(argument.partition("::")[0]).absolute() == collection_path for argument in config.args)
    tier = config.getoption("tier")
    return True if not is_named and tiers.has_none(collection_path, lane_of(collection_path), tier) else None


def lane_of(path: Path) -> str:
    """The folder of a test below this one."""
    return path.relative_to(ROOT / "tests").parts[0]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test by its folder, and keep those of the tier."""
    for item in items:
        lane = lane_of(item.path)
        if lane in LANES:
            item.add_marker(lane)
    tiers.select(config, items)


def pytest_collection_finish() -> None:
    """What is there before the first test is no garbage: tests that collect it do not look through it."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _causes() -> None:
    """What parts of another test failed for does not silence those of this one."""
    fault_log.forget_causes()


@pytest.fixture(autouse=True)
def _log() -> Iterator[None]:
    """A command that a test runs in this process sets up its log: what that limits and counts ends with the test."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    if root.handlers != handlers:
        logging.captureWarnings(False)
        root.handlers[:] = handlers
        root.setLevel(level)


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """Restore the handling of signals: a service that a test runs in this process leaves its own installed.

    Its thread that watches signals (``skywatch.serving.shutdown``) would send that of a later test once more.
    """
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handlers = [signal.getsignal(number) for number in numbers]
    yield
    if [signal.getsignal(number) for number in numbers] != handlers:
        signal.set_wakeup_fd(-1)
        for number, handler in zip(numbers, handlers, strict=True):
            signal.signal(number, handler)


@pytest.fixture(autouse=True)
def _saved_is_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every picture that a tracker saves in a test is read back and must be the same, field by field."""
    encode = saved.encode

    def encode_and_read_back(picture: saved.SavedPicture) -> bytes:
        data = encode(picture)
        assert encode(saved.decode(data)) == data
        return data

    monkeypatch.setattr(saved, "encode", encode_and_read_back)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of recordings next to the checkout, or the one that SKYWATCH_TEST_DATA names.

    Where there is none (a user's clone) the test is skipped, in continuous integration if the variable is ``none``.
    """
    named = os.environ.get("SKYWATCH_TEST_DATA")
    if named == "none":
        pytest.skip("recordings: SKYWATCH_TEST_DATA=none")
    folder = Path(named or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        skip_or_fail("recordings", "there is no ../shared/data")
    return folder


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the whole schema, to be copied."""
    path = tmp_path_factory.mktemp("template") / "template.sqlite"
    engine = create_engine(f"sqlite:///{path}")
    upgrade(engine)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    return path


@pytest.fixture(scope="session")
def migrated_postgresql() -> Iterator[str]:
    """The name of a PostgreSQL database with the whole schema, to be copied."""
    with postgresql_database() as url:
        engine = create_engine(url)
        upgrade(engine)
        engine.dispose()
        yield str(sa.make_url(url).database)


@pytest.fixture
def sqlite_url(migrated_sqlite: Path, tmp_path: Path) -> str:
    """A migrated SQLite database of this test's own."""
    path = tmp_path / "skywatch.sqlite"
    shutil.copy(migrated_sqlite, path)
    return f"sqlite:///{path}"


@pytest.fixture(scope="session")
def postgresql_pool(migrated_postgresql: str) -> Iterator[DatabasePool]:
    """Copies of the migrated PostgreSQL database."""
    pool = DatabasePool(migrated_postgresql)
    yield pool
    pool.close()


@pytest.fixture
def postgresql_url(postgresql_pool: DatabasePool) -> Iterator[str]:
    """A migrated PostgreSQL database of this test's own."""
    url = postgresql_pool.take()
    yield url
    postgresql_pool.give_back(url)


@pytest.fixture
def patient_bus(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is late because the machine is busy is not gone."""
    for name in (
        "redis.bus.SOCKET_TIMEOUT_S",
        "redis.bus.SENTINEL_TIMEOUT_S",
        "queued.LATE_S",
        "redis.subscription.SILENT_AFTER_S",
        "nats.client.TIMEOUT_S",
        "nats.client.CONNECT_S",
        "nats.values.REQUEST_S",
    ):
        monkeypatch.setattr(f"skywatch.core.bus.{name}", PATIENCE_S)
    monkeypatch.setattr("skywatch.http.limits.limiter.REDIS_TIMEOUT_S", PATIENCE_S)
    # Nor is one gone that answers some pings late.
    monkeypatch.setattr("skywatch.core.bus.nats.client.MAX_UNANSWERED", int(PATIENCE_S))


@pytest.fixture
def redis_url(patient_bus: None) -> Iterator[str]:
    """A place of this test's own on the Redis server, as the setting ``bus`` names it."""
    with redis_prefix() as url:
        yield url


@pytest.fixture
def nats_url(patient_bus: None) -> Iterator[str]:
    """A prefix of this test's own on the NATS server, as the setting ``bus`` names it."""
    with nats_prefix() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A migrated database, once of each kind."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def make_settings(sqlite_url: str) -> Callable[..., Settings]:
    """Settings for tests; keyword arguments are written as in the ini file (dots as double underscores)."""

    def make(**changes: Any) -> Settings:
        # Limits are for the tests that are about them.
        rates = {
            f"default_throttle_rates.{bucket}": "1000000/minute"
            for bucket in ("anon", "user", "live", "login", "refresh", "dry_run")
        }
        # On a busy machine a child that reads the archive needs its time, and so does a provider.
        patience = {"archive_query_s": 10 * PATIENCE_S, "oidc_timeout_s": PATIENCE_S}
        ini = {
            **rates,
            **patience,
            "secret": TEST_SECRET,
            "database_url": sqlite_url,
            "bus": "memory",
            "auth_mode": "public",
        }
        ini.update({name.replace("__", "."): str(value) for name, value in changes.items()})
        return load(ini, environ={})

    return make


@pytest.fixture
def make_runtime(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Runtime]]:
    """Runtimes over test settings, closed at the end."""
    # Skies made by hand come when the test makes them: no tracker is missed.
    monkeypatch.setattr("skywatch.picture.distribution.follower.SILENT_AFTER_S", 100 * PATIENCE_S)
    # A database that is late because the machine is busy is not away.
    monkeypatch.setattr("skywatch.realtime.topics.backfill.START_S", PATIENCE_S)
    opened: list[Runtime] = []

    def make(**changes: Any) -> Runtime:
        settings = make_settings(**changes)
        engine = create_engine(settings.database_url)
        runtime = Runtime(settings, engine, create_session_factory(engine), open_bus(settings.bus))
        opened.append(runtime)
        return runtime

    yield make
    for runtime in opened:
        runtime.close()


@pytest.fixture
def runtime(make_runtime: Callable[..., Runtime]) -> Runtime:
    """A runtime with the default test settings: SQLite, memory bus, mode public."""
    return make_runtime()


@pytest.fixture
def make_client(make_runtime: Callable[..., Runtime]) -> Callable[..., Any]:
    """WebTest clients of the application; settings as for ``make_settings``, or a ``runtime``.

    The tracker has made its first tick, of an empty sky, unless ``has_ticked`` is False.
    """

    def make(runtime: Runtime | None = None, *, has_ticked: bool = True, **changes: Any) -> Any:
        runtime = runtime or make_runtime(**changes)
        client = CheckedApp(make_app(runtime), extra_environ={"REMOTE_ADDR": "127.0.0.1"})
        client.runtime = runtime
        if has_ticked and runtime.bus.carries_objects and runtime.bus.last(topics.PICTURE) is None:
            show(runtime, replace(empty_sky(NOW, "first tick"), seq=1))
        return client

    return make


@pytest.fixture
def client(make_client: Callable[..., Any]) -> Any:
    """A WebTest client with the default test settings."""
    return make_client()
