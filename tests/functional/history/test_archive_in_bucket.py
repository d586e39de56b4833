"""Days that are in a bucket only are read as those of a folder, and a bucket that fails is an answer."""

from __future__ import annotations

import shutil
import socket
import uuid

import pytest

from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage import open_storage
from tests.archives import archive, fill, prune
from tests.buckets import KEYS, s3_server
from tests.functional.history.recorded import ANALYST
from tests.identities import install

pytestmark = pytest.mark.deep("archives, backups and their worker processes")

RETENTION = {"retention_positions_days": 1.0, "retention_flights_days": 1.0}
PATHS = (
    "flights",
    "picture?at=2026-03-02T06:30:00Z",
    "tracks/3c4000?from=2026-03-01T00:00:00Z&to=2026-03-05T00:00:00Z",
)


@pytest.fixture(scope="module")
def address():
    with s3_server() as address:
        yield address


def test_bucket_answers_as_the_database_did(address, make_client, migrated_sqlite, tmp_path):
    settings = {"archive_url": f"s3://sky/{uuid.uuid4()}", "archive_s3_endpoint": address, **KEYS, **RETENTION}
    url = f"sqlite:///{shutil.copy(migrated_sqlite, tmp_path / 'a.sqlite')}"
    client = install(make_client(auth_mode="hybrid", database_url=url, **settings))
    fill(client.runtime.sessions, days=2)
    before = [client.get(f"/api/v1/history/{path}", headers=ANALYST).body for path in PATHS]
    archive(client.runtime.sessions, client.runtime.settings)
    prune(client.runtime, client.runtime.settings)
    assert [client.get(f"/api/v1/history/{path}", headers=ANALYST).body for path in PATHS] == before
    # A byte of the footer, which has no checksum of its own: the hash of the manifest finds it in a new process.
    storage = open_storage(client.runtime.settings.of(ArchiveSettings))
    filesystem, root = storage.arrow()
    name = f"{root}/day=2026-03-02/positions-06.parquet"
    with filesystem.open_input_stream(name) as file:
        data = bytearray(file.read())
    data[-40] ^= 1
    with filesystem.open_output_stream(name) as file:
        file.write(bytes(data))
    for damaged in (client, install(make_client(auth_mode="hybrid", database_url=url, **settings))):
        answer = damaged.get(f"/api/v1/history/{PATHS[1]}", headers=ANALYST, status=503)
        assert "2026-03-02 is damaged" in answer.json["detail"]
        assert damaged.get(f"/api/v1/history/{PATHS[0]}", headers=ANALYST).body == before[0]
    # The same database, with a server that takes connections and never answers.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings["archive_s3_endpoint"] = f"http://127.0.0.1:{silent.getsockname()[1]}"
        other = install(make_client(auth_mode="hybrid", database_url=url, archive_query_s=1, **settings))
        answer = other.get(f"/api/v1/history/{PATHS[0]}", headers=ANALYST, status=503)
        assert answer.json["code"] == "unavailable"
        assert "archive_query_s" in answer.json["detail"]
