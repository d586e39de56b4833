"""A Redis server to stop and start, and the JavaScript client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.node_packages import installed
from tests.redis_server import OwnRedis


@pytest.fixture(scope="session")
def socket_io_modules() -> Path:
    """A folder with ``node_modules/socket.io-client``."""
    return installed("socket.io-client@4", ROOT / "build" / "socket-io-client")


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[OwnRedis]:
    server = OwnRedis(tmp_path)
    server.start()
    try:
        yield server
    finally:
        server.stop()
