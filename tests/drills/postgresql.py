"""A PostgreSQL server of a drill's own, on loopback, that may be broken in every way."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import sqlalchemy as sa

from tests.ports import free_port
from tests.waiting import PATIENCE_S, until

_QUIET: dict[str, int] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def find_programs() -> Path | None:
    """Where initdb and postgres are; None where they are not installed."""
    found = [Path(path).resolve().parent for path in (shutil.which("initdb"), shutil.which("pg_ctl")) if path]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in found if (folder / "initdb").exists()), None)


class OwnPostgreSQL:
    """On a port that it has again after a stop."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.disk = folder
        self._data = folder / "postgresql"
        programs = find_programs()
        if programs is None:
            raise FileNotFoundError("initdb")
        self._programs = programs
        # PostgreSQL does not run as root.
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user is not None:
            folder.chmod(0o755)
            self._data.mkdir()
            shutil.chown(self._data, self._user)
        subprocess.run(
            [programs / "initdb", "-D", self._data, "-U", "postgres", "--auth=trust", "-N"],
            check=True, user=self._user, cwd="/", **_QUIET,
        )  # fmt: skip
        self.process: subprocess.Popen[bytes] | None = None

    def url(self, port: int | None = None) -> str:
        """For SQLAlchemy; ``port`` is that of a relay."""
        return f"postgresql+psycopg://skywatch@127.0.0.1:{port or self.port}/skywatch"

    def start(self) -> None:
        """Start, and wait until it answers."""
        options = {
            "port": self.port, "unix_socket_directories": "", "max_connections": 60, "fsync": "off",
            "max_wal_size": "64MB", "min_wal_size": "32MB",
        }  # fmt: skip
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        self.process = subprocess.Popen(
            [self._programs / "postgres", "-D", self._data, *words], user=self._user, cwd="/", **_QUIET
        )
        until(self._answers, "the start of PostgreSQL")

    def _answers(self) -> bool:
        try:
            self.execute("SELECT 1")
        except sa.exc.OperationalError:
            return False
        return True

    def execute(self, *statements: str, database: str = "postgres") -> None:
        """As the administrator."""
        url = f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/{database}"
        engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with engine.connect() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)

    def create(self) -> None:
        """The role and the database ``skywatch``."""
        self.execute("CREATE ROLE skywatch LOGIN", "CREATE DATABASE skywatch OWNER skywatch")

    def end_connections(self) -> None:
        """Close those of the service."""
        self.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'skywatch'")

    @property
    def runs(self) -> bool:
        """Whether its process is there."""
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        """End at once; what was committed stays."""
        assert self.process is not None
        if not self.runs:
            return
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(PATIENCE_S)

    def signal_all(self, number: int) -> None:
        """To the server and all of its processes."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for pid in (self.process.pid, *map(int, children)):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue

    def stop(self) -> None:
        """End for good."""
        if self.runs:
            self.signal_all(signal.SIGCONT)
            self.kill()
