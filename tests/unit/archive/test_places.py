"""What every place does, a folder and a bucket alike; and what each of them refuses."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from skywatch.archive.contents.manifest import read_manifest
from skywatch.archive.errors import ArchiveStorageError, MissingFile
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage import open_storage
from tests.archives import FIRST, archive, counts, prune

pytestmark = pytest.mark.deep("archives, backups and their worker processes")

both = pytest.mark.parametrize("place_settings", ["folder", "s3"], indirect=True)


@pytest.fixture
def storage(make_settings, place_settings):
    return open_storage(make_settings(**place_settings).of(ArchiveSettings))


def put(storage, name, data):
    with storage.staging() as folder:
        path = Path(folder, "file")
        path.write_bytes(data)
        storage.put(name, path)


@both
def test_file_is_read_as_it_was_put(storage):
    put(storage, "day=2026-03-01/a.parquet", b"x" * 3_000_000)
    with storage.open("day=2026-03-01/a.parquet") as file:
        assert file.read() == b"x" * 3_000_000
    assert storage.names() == ["day=2026-03-01"]
    assert storage.names("day=2026-03-01") == ["a.parquet"]
    assert storage.names("day=2026-03-02") == []


@both
def test_put_replaces_and_delete_removes(storage):
    put(storage, "day=2026-03-01/a", b"one")
    put(storage, "day=2026-03-01/a", b"two")
    assert storage.read("day=2026-03-01/a", 10) == b"two"
    storage.delete("day=2026-03-01/a")
    storage.delete("day=2026-03-01/a")
    with pytest.raises(MissingFile):
        storage.read("day=2026-03-01/a", 10)


@both
def test_large_file_is_not_read_as_a_small_one(storage):
    put(storage, "day=2026-03-01/manifest.json", b"x" * 11)
    with pytest.raises(ArchiveStorageError, match="too large"):
        storage.read("day=2026-03-01/manifest.json", 10)


@both
def test_days_are_archived_verified_and_removed(years, make_settings, place_settings):
    assert not archive(years.sessions, years.settings).faults
    assert len(read_manifest(years.storage, FIRST).files) > 4
    settings = make_settings(**place_settings, retention_positions_days=1.0, retention_flights_days=1.0)
    assert prune(years.runtime, settings).faults == {}
    assert counts(years.sessions) == (0, 0)


@pytest.mark.parametrize("place_settings", ["s3"], indirect=True)
def test_bucket_that_is_not_there_is_one_line(make_settings, place_settings):
    settings = make_settings(**{**place_settings, "archive_url": "s3://nowhere/x"})
    with pytest.raises(ArchiveStorageError) as error:
        put(open_storage(settings.of(ArchiveSettings)), "day=2026-03-01/a", b"one")
    assert "\n" not in str(error.value)
    assert "s3://nowhere/x/day=2026-03-01/a" in str(error.value)


def test_bucket_without_keys_is_refused(make_settings, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ArchiveStorageError, match="archive_s3_access_key"):
        open_storage(make_settings(archive_url="s3://sky/x").of(ArchiveSettings))


def test_keys_of_the_environment_are_used(make_settings, monkeypatch, s3_address):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    settings = make_settings(archive_url="s3://sky/environment", archive_s3_endpoint=s3_address)
    storage = open_storage(settings.of(ArchiveSettings))
    put(storage, "day=2026-03-01/a", b"one")
    assert storage.read("day=2026-03-01/a", 10) == b"one"


def test_machine_is_never_asked_for_credentials(make_settings, s3_address):
    open_storage(
        make_settings(
            archive_url="s3://sky/x",
            archive_s3_endpoint=s3_address,
            archive_s3_access_key="key",
            archive_s3_secret_key="secret",
        ).of(ArchiveSettings)
    )
    assert os.environ["AWS_EC2_METADATA_DISABLED"] == "true"


def test_folder_that_cannot_be_created_is_one_line(make_settings, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    storage = open_storage(make_settings(archive_url=f"file://{tmp_path}/file/archive").of(ArchiveSettings))
    with pytest.raises(ArchiveStorageError, match="Not a directory"):
        put(storage, "day=2026-03-01/a", b"one")


def test_full_disk_leaves_the_day_as_it_was(years, monkeypatch):
    archive(years.sessions, years.settings)
    before = read_manifest(years.storage, FIRST)
    flights, points = counts(years.sessions)

    def full(self, target):
        raise OSError(28, "No space left on device")

    (years.storage.folder / f"day={FIRST}" / "flights.parquet").unlink()
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(ArchiveStorageError, match="the disk is full"):
        archive(years.sessions, years.settings, days=[FIRST])
    monkeypatch.undo()
    assert read_manifest(years.storage, FIRST) == before
    archive(years.sessions, years.settings, days=[FIRST])
    assert counts(years.sessions) == (flights, points)
    assert np.isclose(read_manifest(years.storage, FIRST).bytes, before.bytes)
