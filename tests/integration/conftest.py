"""Servers that several tests start."""

import fcntl
import socket
import subprocess
import sys
from contextlib import ExitStack

import pytest

from skywatch.core.database.engine import create_engine
from skywatch.serving.web_server import api_server
from tests.app_templates import make_app
from tests.conftest import ROOT
from tests.servers import postgresql_database, skip_or_fail
from tests.waiting import PATIENCE_S


@pytest.fixture
def serve(make_runtime, monkeypatch):
    # Routes and views are the same for all.
    monkeypatch.setattr(api_server, "make_app", make_app)
    with ExitStack() as stack:

        def start(**settings):
            server = api_server.create_api_server(make_runtime(listen="127.0.0.1:0", **settings))
            server.start()
            stack.callback(server.close)
            return server

        yield start


@pytest.fixture
def only_clock(monkeypatch):
    """The clock of this test is the only one that looks at connections; that of the machine is behind it."""
    monkeypatch.setattr(api_server, "CLEANUP_S", 3600)


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_engine(request, tmp_path):
    """Of a database without a schema."""
    if request.param == "sqlite":
        engine = create_engine(f"sqlite:///{tmp_path}/empty.sqlite")
        yield engine
        engine.dispose()
    else:
        with postgresql_database() as url:
            engine = create_engine(url)
            yield engine
            engine.dispose()


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The application, built from the sources as they are."""
    lock = tmp_path_factory.getbasetemp().parent / "web.lock"
    with lock.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        done = subprocess.run(
            [sys.executable, str(ROOT / "web" / "make.py"), "build"], capture_output=True, text=True, check=False
        )
    if done.returncode:
        skip_or_fail("the built web application", done.stderr.strip()[-300:])
