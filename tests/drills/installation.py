"""The installations that are broken: one process with SQLite, and five with PostgreSQL and Redis of their own."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

from tests.drills.postgresql import OwnPostgreSQL
from tests.feeds import FeedServer
from tests.ports import free_port
from tests.processes import ENVIRONMENT, SKYWATCH, add_user, run_command
from tests.redis_server import OwnRedis
from tests.relay import Relay
from tests.waiting import PATIENCE_S, until

PASSWORD = "correct horse battery 4711"
AIRCRAFT = 200


@dataclass
class Process:
    """One process of an installation; it is started again after a kill as whatever watches a service does."""

    name: str
    command: list[str]
    environment: dict[str, str]
    log: Path
    port: int = 0
    realtime_port: int = 0
    running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start without waiting."""
        with self.log.open("ab") as log:
            self.running = subprocess.Popen(self.command, env=self.environment, stdout=log, stderr=log)

    def signal(self, number: int) -> None:
        """Send a signal, if it runs."""
        if self.running is not None and self.running.poll() is None:
            self.running.send_signal(number)

    def stop(self) -> None:
        """SIGTERM, and SIGKILL where that does not end it."""
        if self.running is None or self.running.poll() is not None:
            return
        self.running.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.running.wait(PATIENCE_S)
        if self.running.poll() is None:
            self.running.kill()
            self.running.wait()

    @property
    def threads(self) -> int:
        """How many it has."""
        try:
            status = Path(f"/proc/{self.running.pid if self.running else 0}/status").read_text()
        except OSError:
            return 0
        return int(status.split("Threads:")[1].split()[0])

    @property
    def log_lines(self) -> int:
        """How many it has written; the status line is for people and not counted."""
        try:
            lines = self.log.read_text(errors="replace").splitlines()
        except OSError:
            return 0
        return sum(" aircraft · " not in line and " aircraft - " not in line for line in lines)


@dataclass
class Installation:
    """Processes, and the servers that they use."""

    name: str
    processes: dict[str, Process]
    ini: Path
    database_url: str
    redis: OwnRedis | None = None
    redis_relay: Relay | None = None
    postgresql: OwnPostgreSQL | None = None
    postgresql_relay: Relay | None = None
    sqlite: Path | None = None
    feed: FeedServer | None = None
    _redis_admin: Any = None

    @property
    def ports(self) -> list[int]:
        """Of the REST API, of each process that has it."""
        return [process.port for process in self.processes.values() if process.port]

    @property
    def realtime_ports(self) -> list[int]:
        """Of the channel, of each process that has it."""
        return [process.realtime_port for process in self.processes.values() if process.realtime_port]

    def redis_admin(self) -> Any:
        """A connection to Redis that stays, whatever Redis makes of the others."""
        assert self.redis is not None
        if self._redis_admin is None:
            self._redis_admin = redis.Redis.from_url(self.redis.url, single_connection_client=True)
        return self._redis_admin

    def init(self) -> None:
        """The schema, and an administrator ``drill``."""
        done = run_command("init", str(self.ini))
        assert done.returncode == 0, done.stderr
        add_user(self.database_url, "drill", "superadmin", PASSWORD)

    def start(self) -> None:
        """Start every process."""
        for process in self.processes.values():
            process.start()

    @property
    def threads(self) -> dict[int, int]:
        """How many each running process has, by process id."""
        running = (process for process in self.processes.values() if process.running is not None)
        return {process.running.pid: process.threads for process in running if process.running is not None}

    @property
    def log_lines(self) -> int:
        """Of all processes together."""
        return sum(process.log_lines for process in self.processes.values())

    def stop(self) -> float:
        """SIGTERM to every process at once; how long the last one took to end (s)."""
        began = time.monotonic()
        for process in self.processes.values():
            process.signal(signal.SIGTERM)
        for process in self.processes.values():
            process.stop()
        return time.monotonic() - began

    def close(self) -> None:
        """Stop everything."""
        for process in self.processes.values():
            process.signal(signal.SIGCONT)
        for process in self.processes.values():
            process.stop()
        if self._redis_admin is not None:
            self._redis_admin.close()
        if self.feed is not None:
            self.feed.close()
        for relay in (self.redis_relay, self.postgresql_relay):
            if relay is not None:
                relay.close()
        if self.redis is not None:
            if self.redis.process is not None:
                self.redis.process.send_signal(signal.SIGCONT)
            self.redis.stop()
        if self.postgresql is not None:
            self.postgresql.stop()


def _ini(folder: Path, **settings: object) -> Path:
    values: dict[str, object] = {
        "environment": "development",
        "auth_mode": "hybrid",
        "secret": "only-for-drills-0123456789abcdef0123456789",
        "receiver.demo": f"simulate aircraft={AIRCRAFT} seed=1",
        **{
            f"default_throttle_rates.{bucket}": "1000000/minute"
            for bucket in ("anon", "user", "live", "login", "refresh")
        },
        **settings,
    }
    ini = folder / "skywatch.ini"
    lines = [f"{name} = {value}" for name, value in values.items()]
    ini.write_text("[app:main]\nuse = egg:skywatch\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return ini


def _process(folder: Path, ini: Path, name: str, *roles: str) -> Process:
    port = free_port() if not roles or "api" in roles else 0
    realtime_port = free_port() if not roles or "realtime" in roles else 0
    environment = {
        **ENVIRONMENT,
        "LISTEN": f"127.0.0.1:{port or free_port()}",
        "REALTIME_LISTEN": f"127.0.0.1:{realtime_port or free_port()}",
    }
    words = [word for role in roles for word in ("--role", role)]
    command = [*SKYWATCH, "serve", str(ini), *words]
    return Process(name, command, environment, folder / f"{name}.log", port, realtime_port)


def _feed() -> FeedServer:
    """A receiver with one aircraft, for hours."""
    line = b"MSG,3,1,1,4CA2D1,1,2024/01/01,00:00:00.000,2024/01/01,00:00:00.000,,36000,,,47.5,8.5,,,0,0,0,0\r\n"
    return FeedServer([(float(second), line) for second in range(6 * 3600)]).play()


def one_process(folder: Path, disk: Path | None = None) -> Installation:
    """Everything in one process, with SQLite (on ``disk``) and the bus in memory."""
    database, feed = (disk or folder) / "skywatch.sqlite", _feed()
    url = f"sqlite:///{database}"
    ini = _ini(folder, bus="memory", **{"database_url": url, "receiver.feed": f"sbs 127.0.0.1:{feed.port}"})
    processes = {"service": _process(folder, ini, "service")}
    return Installation("one process", processes, ini, url, sqlite=database, feed=feed)


def one_process_with_redis(folder: Path) -> Installation:
    """Everything in one process, with SQLite, and with Redis as it is for several: the short form."""
    redis = OwnRedis(folder)
    redis.start()
    relay = Relay(("127.0.0.1", redis.port))
    url = f"sqlite:///{folder}/skywatch.sqlite"
    ini = _ini(folder, database_url=url, bus=f"redis://127.0.0.1:{relay.port}/0")
    processes = {"service": _process(folder, ini, "service")}
    return Installation("one process, Redis", processes, ini, url, redis=redis, redis_relay=relay)


def one_process_with_postgresql(folder: Path, disk: Path) -> Installation:
    """Everything in one process, with PostgreSQL on ``disk``: the short form."""
    postgresql = OwnPostgreSQL(disk)
    postgresql.start()
    postgresql.create()
    url = postgresql.url()
    ini = _ini(folder, database_url=url, bus="memory", history_flush_s=1)
    processes = {"service": _process(folder, ini, "service")}
    return Installation("one process, PostgreSQL", processes, ini, url, postgresql=postgresql)


def several_processes(folder: Path, disk: Path | None = None) -> Installation:
    """1 tracker, 2 api, 2 realtime, with PostgreSQL (on ``disk``) and Redis behind relays."""
    redis = OwnRedis(folder)
    redis.start()
    postgresql = OwnPostgreSQL(disk or folder)
    postgresql.start()
    postgresql.create()
    redis_relay, postgresql_relay = (Relay(("127.0.0.1", server.port)) for server in (redis, postgresql))
    feed = _feed()
    url = postgresql.url(postgresql_relay.port)
    settings = {"database_url": url, "receiver.feed": f"sbs 127.0.0.1:{feed.port}"}
    ini = _ini(folder, bus=f"redis://127.0.0.1:{redis_relay.port}/0", **settings)
    names = {"tracker": "tracker", "api1": "api", "api2": "api", "realtime1": "realtime", "realtime2": "realtime"}
    processes = {name: _process(folder, ini, name, role) for name, role in names.items()}
    servers = (redis, redis_relay, postgresql, postgresql_relay)
    return Installation("five processes", processes, ini, url, *servers, feed=feed)


def wait_for(installation: Installation) -> None:
    """Wait until every process listens, or has ended."""

    def listens(process: Process) -> bool:
        assert process.running is not None
        if process.running.poll() is not None:
            raise AssertionError(f"{process.name} has ended: {process.log.read_text()[-2000:]}")
        for port in (process.port, process.realtime_port):
            if port:
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                except OSError:
                    return False
        return True

    for process in installation.processes.values():
        until(lambda process=process: listens(process), f"the start of {process.name}")
