"""Services with the recorded hour."""

import shutil

import pytest

from skywatch.core.database.engine import create_engine, create_session_factory
from tests.functional.history.recorded import record
from tests.identities import install


@pytest.fixture(scope="session")
def recorded(migrated_sqlite, tmp_path_factory):
    """A SQLite file with the recorded hour, to be copied."""
    path = tmp_path_factory.mktemp("recorded") / "recorded.sqlite"
    shutil.copy(migrated_sqlite, path)
    engine = create_engine(f"sqlite:///{path}")
    record(create_session_factory(engine))
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    return path


@pytest.fixture
def sqlite_client(recorded, tmp_path, make_client):
    shutil.copy(recorded, tmp_path / "recorded.sqlite")
    url = f"sqlite:///{tmp_path}/recorded.sqlite"
    return install(make_client(auth_mode="hybrid", database_url=url, station_lat=47, station_lon=8))


@pytest.fixture(params=["sqlite", "postgresql"])
def client(request, make_client):
    if request.param == "sqlite":
        return request.getfixturevalue("sqlite_client")
    url = request.getfixturevalue("postgresql_url")
    client = install(make_client(auth_mode="hybrid", database_url=url, station_lat=47, station_lon=8))
    record(client.runtime.sessions)
    return client
