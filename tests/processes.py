"""Skywatch as a user runs it: `skywatch serve` in a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import sqlalchemy as sa

from skywatch.accounts.identity.caller import CLI_CALLER
from skywatch.accounts.users.schemas import UserCreateFields
from skywatch.accounts.users.service import create_user
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.core.process.secret_file import SUFFIX
from tests import prefork
from tests.accounts import PASSWORD
from tests.ports import free_port
from tests.prefork import ForkedProcess
from tests.waiting import PATIENCE_S, until

# The SQLite databases that ``skywatch init`` has made and the files of their secrets, by the setting ``secret``.
_initialized: dict[str, tuple[bytes, bytes | None]] = {}
SKYWATCH = [sys.executable, "-m", "skywatch"]
# What the tests set themselves; nothing of the tester's own environment may leak in.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k.upper() in ("PATH", "HOME", "LANG", "TMPDIR", "VIRTUAL_ENV")}


def run_command(*arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """`skywatch ARGUMENTS`, run to its end."""
    with TemporaryFile("w+") as given, TemporaryFile("w+") as output, TemporaryFile("w+") as errors:
        given.write(stdin)
        given.seek(0)
        process = prefork.start(arguments, {**ENVIRONMENT, **environment}, [given, output, errors])
        try:
            code = process.wait(2 * PATIENCE_S)
        finally:
            process.kill()
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(["skywatch", *arguments], code, output.read(), errors.read())


def add_user(database_url: str, name: str, role: str, password: str = PASSWORD) -> None:
    """A user of a role, as ``skywatch user add`` makes one, without a process for it."""
    engine = create_engine(database_url)
    fields = UserCreateFields(username=name, email=f"{name}@example.org", password=password, roles=[role])
    try:
        with writing(create_session_factory(engine)) as session:
            create_user(session, CLI_CALLER, fields)
    finally:
        engine.dispose()


def environment_of(tree: Path | None) -> dict[str, str]:
    """The environment of a process with the code of a checkout; None: this one's."""
    return ENVIRONMENT if tree is None else {**ENVIRONMENT, "PYTHONPATH": str(tree)}


class Service:
    """One installation in a folder: an ini file, a database, and the process while it runs.

    Where it listens on ``host`` "0.0.0.0", it answers to names other than localhost.
    """

    def __init__(self, folder: Path, host: str = "127.0.0.1", **settings: object) -> None:
        self.port, self.realtime_port = free_port(), free_port()
        self.ini = folder / "skywatch.ini"
        values: dict[str, object] = {
            "environment": "development",
            "auth_mode": "public",
            "database_url": f"sqlite:///{folder}/skywatch.sqlite",
            "listen": f"{host}:{self.port}",
            "realtime_listen": f"{host}:{self.realtime_port}",
            # Tests open the web application without users and receivers.
            "console_first_run": "false",
            # Who waits for something asks for it again and again.
            "default_throttle_rates.anon": "1000000/minute",
            "default_throttle_rates.live": "1000000/minute",
        }
        values.update({name.replace("__", "."): value for name, value in settings.items()})
        lines = [f"{name} = {value}" for name, value in values.items() if value is not None]
        self.ini.write_text("[app:main]\nuse = egg:skywatch\n" + "\n".join(lines) + "\n", encoding="utf-8")
        self.database_url = str(values["database_url"])
        self.secret = str(values.get("secret") or "")
        self.log = folder / "log.txt"
        self.process: subprocess.Popen[bytes] | ForkedProcess | None = None
        # The checkout of another release whose code it runs; None: this one's.
        self.tree: Path | None = None

    def init(self) -> Service:
        """Create the database; a SQLite file is made by ``skywatch init`` once, and then copied."""
        path = sa.make_url(self.database_url).database if self.database_url.startswith("sqlite") else None
        secret_file = Path(f"{path}{SUFFIX}")
        if path is not None and self.secret in _initialized and not Path(path).exists():
            database, secret = _initialized[self.secret]
            Path(path).write_bytes(database)
            if secret is not None:
                secret_file.write_bytes(secret)
            return self
        is_new = path is not None and not Path(path).exists()
        done = run_command("init", str(self.ini))
        assert done.returncode == 0, done.stderr
        if path is not None and is_new:
            # Its process ends without closing the database: what it wrote is in the log beside the file until then.
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            secret = secret_file.read_bytes() if secret_file.exists() else None
            _initialized[self.secret] = (Path(path).read_bytes(), secret)
        return self

    def add_user(self, name: str, role: str, password: str = PASSWORD) -> Service:
        """A user of a role, made in the database of an installation that ``init`` has prepared."""
        add_user(self.database_url, name, role, password)
        return self

    def start(self, *arguments: str, wait: bool = True, new_interpreter: bool = False) -> Service:
        """Start, and wait until it answers; ``new_interpreter`` where imports, memory or the very start count."""
        words = ["serve", str(self.ini), *arguments]
        with self.log.open("ab") as log:
            if new_interpreter or self.tree is not None:
                self.process = subprocess.Popen(
                    [*SKYWATCH, *words], env=environment_of(self.tree), cwd=self.tree, stdout=log, stderr=log
                )
            else:
                with open(os.devnull, "rb") as nothing:
                    self.process = prefork.start(words, ENVIRONMENT, [nothing, log, log])
        if wait:
            until(self.answers)
        return self

    def answers(self, path: str = "/api/v1/aircraft?limit=1") -> bool:
        """Whether the API answers there; fails at once where the process has ended."""
        assert self.process is not None
        assert self.process.poll() is None, self.log.read_text()
        try:
            self.get(path)
        except OSError:
            return False
        return True

    def get(self, path: str) -> Any:
        """The JSON at an address of this service."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE_S) as response:
            return json.load(response)

    def aircraft(self) -> dict[str, dict[str, Any]]:
        """The picture, by address; waits for one where there is none, as on a machine too busy for a tick."""
        pictures: list[list[dict[str, Any]]] = []

        def picture_is_there() -> bool:
            try:
                pictures.append(self.get("/api/v1/aircraft?limit=1000")["aircraft"])
            except urllib.error.HTTPError as error:
                problem = json.load(error)
                if problem.get("detail_code") not in ("aircraft.no_picture_yet", "aircraft.no_picture_for"):
                    raise AssertionError(f"the list of aircraft answers {problem}") from error
            return bool(pictures)

        until(picture_is_there, "a picture", every_s=0.2)
        return {a["hex"]: a for a in pictures[0]}

    def kill(self) -> None:
        """As a power cut does."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(PATIENCE_S)

    def stop(self) -> int:
        """As an administrator does; the exit code."""
        if self.process is None or self.process.poll() is not None:
            return -1
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def peak_memory_mb(self) -> float:
        """The most memory the process has had (Linux)."""
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        match = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert match is not None
        return int(match.group(1)) / 1024


def is_running(pid: int) -> bool:
    """Whether there is a process of this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
