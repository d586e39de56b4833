"""A Redis server to stop and start, and the JavaScript client, which npm installs once into pytest's cache folder."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.redis_server import OwnRedis
from tests.servers import skip_or_fail

PACKAGE = "socket.io-client@4"


@pytest.fixture(scope="session")
def socket_io_modules(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``node_modules/socket.io-client``; skipped where there is no node, npm or package registry."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        skip_or_fail("node and npm are not here")
    cache = getattr(request.config, "cache", None)
    folder = Path(cache.mkdir("socket-io-client")) if cache else None
    if folder is not None and (folder / "node_modules" / "socket.io-client" / "package.json").is_file():
        return folder
    build = tmp_path_factory.mktemp("socket-io-client")
    (build / "package.json").write_text('{"private": true}')
    command = ["npm", "install", "--no-audit", "--no-fund", "--silent", PACKAGE]
    done = subprocess.run(command, cwd=build, capture_output=True, text=True, timeout=100)
    if done.returncode != 0:
        skip_or_fail(f"npm cannot install {PACKAGE}: {done.stderr.strip()[:200]}")
    if folder is None:
        return build
    shutil.copytree(build, folder, dirs_exist_ok=True)
    return folder


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[OwnRedis]:
    server = OwnRedis(tmp_path)
    try:
        server.start()
    except FileNotFoundError:
        skip_or_fail("redis-server is not here")
    try:
        yield server
    finally:
        server.stop()
