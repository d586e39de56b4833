"""Three hosts in namespaces: etcd, two PostgreSQL servers under Patroni, a bus of three, HAProxy and Skywatch."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psycopg
import redis
from redis.exceptions import RedisError

from tests.drills.conditions import Conditions, small_disk
from tests.drills.hosts.files import HOSTS, MASTER, PROXY_HOST, SERVICE_HOSTS, Files, find_postgresql
from tests.drills.hosts.units import Supervisor, Unit
from tests.drills.network import Lan
from tests.processes import ENVIRONMENT, PASSWORD, add_user
from tests.releases import command
from tests.waiting import until

ROLES = ("tracker", "api", "realtime", "ingest", "worker")
# Debian has some of them outside of the path; Debian 12's Patroni is too old (docs/cluster.md).
SEARCHED = os.pathsep.join(("/opt/patroni/bin", os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
PATRONI = (3, 0, 3)
PROGRAMS = {
    "": ("ip", "setpriv", "openssl", "etcd", "patroni", "haproxy"),
    "nats": ("nats-server",),
    "sentinel": ("redis-server",),
}
TIMEOUT_S = 3.0
# What a database of a drill needs, several times.
DISK_MB = 600


def missing(bus: str) -> list[str]:
    """The programs that a cluster needs and that are not here."""
    found = [name for name in (*PROGRAMS[""], *PROGRAMS[bus]) if shutil.which(name, path=SEARCHED) is None]
    if "patroni" not in found and _patroni_release() < PATRONI:
        found.append(f"patroni {'.'.join(map(str, PATRONI))} or newer (docs/cluster.md has how to install it)")
    with suppress(FileNotFoundError):
        find_postgresql()
        return found
    return [*found, "PostgreSQL's server"]


def _patroni_release() -> tuple[int, ...]:
    program = shutil.which("patroni", path=SEARCHED)
    assert program is not None
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(digits) for digits in re.findall(r"\d+", said)[:3])


class Cluster:
    """Everything that runs; ``roles`` says how many hosts have a process of each role.

    ``conditions`` has the disks and clocks of the hosts that have processes of Skywatch, where they can be changed.
    """

    def __init__(
        self, lan: Lan, folder: Path, bus: str, roles: dict[str, int], conditions: dict[int, Conditions]
    ) -> None:
        self.lan = lan
        self.bus = bus
        self.files = Files(folder, bus)
        self.roles = roles
        self.conditions = conditions
        self.supervisor = Supervisor(lan)
        self.units: dict[str, Unit] = {}
        # Without a proxy and names in between; each request is one connection.
        self._http = httpx.Client(timeout=TIMEOUT_S, trust_env=False)

    @classmethod
    @contextmanager
    def of(cls, lan: Lan, folder: Path, bus: str, roles: dict[str, int], *, with_conditions: bool) -> Iterator[Cluster]:
        """Started, with the schema and a user ``drill``; ends all at the end."""
        with ExitStack() as stack:
            conditions: dict[int, Conditions] = {}
            for number in SERVICE_HOSTS if with_conditions else ():
                files = Files(folder, bus)
                files.disk(number).mkdir()
                assert stack.enter_context(small_disk(files.disk(number), DISK_MB)), "a disk cannot be mounted"
                conditions[number] = Conditions(files.of_host(number))
            cluster = cls(lan, folder, bus, roles, conditions)
            stack.callback(cluster._http.close)
            stack.callback(cluster.supervisor.close)
            cluster._start()
            yield cluster

    # Starting

    def _start(self) -> None:
        for number in HOSTS:
            etcd = dict(line.split("=", 1) for line in self.files.filled("etcd", number).splitlines()[1:])
            etcd["ETCD_DATA_DIR"] = str(self.files.of_host(number) / "etcd")
            self._add("etcd", number, ["etcd"], etcd)
            self._start_bus(number)
        until(lambda: all(self._ask(number, 2379, "/health").get("health") == "true" for number in HOSTS), "etcd")
        for number in SERVICE_HOSTS:
            self._add("patroni", number, ["patroni", str(self.files.patroni(number))], user="postgres")
            # The first one makes the database, the other one copies it.
            until(lambda: self.database_leader() is not None, "a PostgreSQL that leads", every_s=0.2)
        until(self.database_is_well, "a synchronous standby", every_s=0.2)
        until(self.bus_is_well, "the bus", every_s=0.2)
        with self.administrator() as connection:
            connection.execute(f"CREATE ROLE skywatch LOGIN PASSWORD '{self.files.database_password}'")
            connection.execute("CREATE DATABASE skywatch OWNER skywatch")
        self._start_skywatch()
        self.files.certificate()
        path = str(self.files.haproxy())
        self._add("haproxy", PROXY_HOST, ["haproxy", "-db", "-f", path])

    def _start_bus(self, number: int) -> None:
        if self.bus == "nats":
            self._add("nats", number, ["nats-server", "-c", str(self.files.nats(number))])
            return
        self._add("redis", number, ["redis-server", str(self.files.redis(number))])
        self._add("sentinel", number, ["redis-server", str(self.files.sentinel(number)), "--sentinel"])

    def _start_skywatch(self) -> None:
        environment = self.files.environment()
        inis = {number: str(self.files.skywatch(number)) for number in SERVICE_HOSTS}
        command(None, "init", inis[1], **environment)
        add_user(environment["DATABASE_URL"], "drill", "superadmin", PASSWORD)
        for role, count in self.roles.items():
            for number in SERVICE_HOSTS[:count]:
                words = [sys.executable, "-m", "skywatch", "serve", inis[number], "--role", role]
                self._add(role, number, words, self.files.environment(number))

    def _add(
        self, name: str, number: int, command: list[str], environment: dict[str, str] | None = None, user: str = ""
    ) -> None:
        program = shutil.which(command[0], path=SEARCHED)
        assert program is not None, command[0]
        unit = Unit(
            f"{name}{number}", number, [program, *command[1:]], self.files.of_host(number) / f"{name}.log",
            {**ENVIRONMENT, "PATH": SEARCHED, **self._of_host(number), **(environment or {})}, user,
        )  # fmt: skip
        self.units[unit.name] = self.supervisor.add(unit)

    def _of_host(self, number: int) -> dict[str, str]:
        """The variables of a host's clock and disk."""
        return self.conditions[number].environment if number in self.conditions else {}

    # Looking

    def _ask(self, number: int, port: int, path: str) -> dict[str, Any]:
        """What a program of a host answers; nothing where it does not."""
        try:
            answer = self._http.get(f"http://{Lan.address(number)}:{port}{path}")
            document = answer.json()
        except (httpx.HTTPError, ValueError):
            return {}
        return document if isinstance(document, dict) else {}

    def health(self, number: int, token: str) -> dict[str, Any]:
        """What the api process of a host says of the service."""
        try:
            answer = self._http.get(
                f"http://{Lan.address(number)}:6543/api/v1/system/health", headers={"Authorization": f"Bearer {token}"}
            )
            return dict(answer.json())
        except (httpx.HTTPError, ValueError):
            return {}

    def leading_tracker(self, token: str) -> int | None:
        """The host whose tracker leads, with all others standing by; None while it is not so."""
        states = self.health(1, token).get("trackers", [])
        leading = [one["pid"] for one in states if one["state"] == "leading"]
        if len(leading) != 1 or len(states) != self.roles["tracker"]:
            return None
        return next((n for n in SERVICE_HOSTS if f"tracker{n}" in self.units and self._pid(n) == leading[0]), None)

    def _pid(self, number: int) -> int:
        return self.units[f"tracker{number}"].pid

    def members(self) -> dict[int, dict[str, Any]]:
        """PostgreSQL's members by host, as Patroni lists them."""
        for number in SERVICE_HOSTS:
            document = self._ask(number, 8008, "/cluster")
            if document:
                return {int(one["name"].removeprefix("sky")): one for one in document["members"]}
        return {}

    def database_leader(self) -> int | None:
        """The host whose PostgreSQL writes."""
        leading = [number for number, one in self.members().items() if one["role"] == "leader"]
        return leading[0] if leading else None

    def database_is_well(self) -> bool:
        """Whether one PostgreSQL leads and the other one is its synchronous standby."""
        members = self.members().values()
        return sorted(one["role"] for one in members) == ["leader", "sync_standby"] and all(
            one["state"] in ("running", "streaming") for one in members
        )

    def switch_over(self) -> None:
        """Let the other PostgreSQL lead, as ``patronictl switchover`` asks for it."""
        leader = self.database_leader()
        assert leader is not None, "no PostgreSQL leads"
        candidate = next(number for number in SERVICE_HOSTS if number != leader)
        answer = self._http.post(
            f"http://{Lan.address(leader)}:8008/switchover", timeout=60.0,
            json={"leader": f"sky{leader}", "candidate": f"sky{candidate}"},
            auth=("patroni", self.files.superuser_password),
        )  # fmt: skip
        assert answer.status_code == 200, answer.text

    def kill_database(self, number: int) -> None:
        """Patroni and PostgreSQL of a host, at once; not started again before they are released."""
        self.units[f"patroni{number}"].kill(hold=True)
        pid = (self.files.of_host(number) / "postgresql/skywatch/postmaster.pid").read_text().split()[0]
        os.kill(int(pid), signal.SIGKILL)

    @contextmanager
    def administrator(self, database: str = "postgres") -> Iterator[psycopg.Connection]:
        """A connection to the PostgreSQL that writes; each statement is a transaction."""
        with psycopg.connect(
            host=",".join(Lan.address(number) for number in SERVICE_HOSTS), user="postgres", dbname=database,
            password=self.files.superuser_password, target_session_attrs="read-write", connect_timeout=5,
            autocommit=True,
        ) as connection:  # fmt: skip
            yield connection

    def bus_is_well(self) -> bool:
        """Whether all servers of the bus are there and agree."""
        if self.bus == "nats":
            return all(self._ask(number, 8222, "/healthz").get("status") == "ok" for number in HOSTS)
        try:
            return all(self._sentinel_is_well(number) for number in HOSTS)
        except (RedisError, KeyError):
            return False

    def _sentinel_is_well(self, number: int) -> bool:
        with redis.Redis(host=Lan.address(number), port=26379, socket_timeout=TIMEOUT_S) as client:
            master, replicas = client.sentinel_master(MASTER), client.sentinel_slaves(MASTER)
            return (
                master["flags"] == "master"
                and master["num-other-sentinels"] == len(HOSTS) - 1
                and [(one["flags"], one["master-link-status"]) for one in replicas] == [("slave", "ok")] * 2
            )

    def master(self) -> int:
        """The host whose Redis is the master."""
        with redis.Redis(host=Lan.address(PROXY_HOST), port=26379, socket_timeout=TIMEOUT_S) as client:
            address = client.sentinel_get_master_addr_by_name(MASTER)[0]
        named = address.decode() if isinstance(address, bytes) else address
        return next(number for number in HOSTS if Lan.address(number) == named)
