"""Installations with an archive in a folder or a bucket."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

import pytest

from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage import ArchiveStorage, open_storage
from skywatch.core.runtime import Runtime
from skywatch.settings import Settings
from tests.archives import fill
from tests.buckets import KEYS, s3_server


@dataclass
class Years:
    """An installation with three days of history and an archive."""

    runtime: Runtime
    settings: Settings
    points: Any

    @property
    def sessions(self):
        return self.runtime.sessions

    @property
    def storage(self) -> ArchiveStorage:
        return open_storage(self.settings.of(ArchiveSettings))


@pytest.fixture(scope="session")
def s3_address():
    with s3_server() as address:
        yield address


@pytest.fixture
def place_settings(request, tmp_path):
    """The settings of a place: ``folder`` or ``s3``."""
    if getattr(request, "param", "folder") == "folder":
        return {"archive_url": f"file://{tmp_path}/archive"}
    address = request.getfixturevalue("s3_address")
    return {"archive_url": f"s3://sky/{uuid.uuid4()}", "archive_s3_endpoint": address, **KEYS}


@pytest.fixture
def years(make_runtime, place_settings):
    runtime = make_runtime(station_lat=50.0, station_lon=8.5, **place_settings)
    return Years(runtime, runtime.settings, fill(runtime.sessions))
