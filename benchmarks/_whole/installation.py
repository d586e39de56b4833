"""An installation with everything on: the world, its service in one of two layouts, ACARS, recordings and clients."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any

from benchmarks._whole import clients
from benchmarks._whole.world import CENTRES, regions
from tests.drills.installation import Process
from tests.drills.postgresql import OwnPostgreSQL
from tests.nats_server import OwnNats
from tests.ports import free_port
from tests.processes import ENVIRONMENT
from tests.redis_server import OwnRedis
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
ACARS_A_SECOND = 100.0
USERS = 200
# A day: it is ended sooner.
MAX_S = 86_400
# A busy machine may take long for the imports of five processes.
START_S = 300.0
ROLES = ("tracker", "api", "realtime", "worker")
LAYOUTS = ("one", "nats", "redis")


@dataclass
class Size:
    """How much there is of everything."""

    aircraft: int
    subscribers: int = clients.SUBSCRIBERS
    requests_s: float = clients.REQUESTS_S
    acars_s: float = ACARS_A_SECOND
    users: int = USERS


def household(aircraft: int) -> Size:
    """Few people: four users with their rules, geofences and areas, a request a second."""
    return Size(aircraft, subscribers=4, requests_s=1.0, acars_s=1.0, users=4)


@dataclass
class Whole:
    """What runs: processes of Skywatch by name, servers by name, and who uses them."""

    folder: Path
    processes: dict[str, Process]
    pipe: Pipe
    servers: dict[str, int] = field(default_factory=dict)
    world_pid: int = 0

    def figures(self) -> dict[str, dict[str, Any]]:
        """The newest figures of each process, as its ledger wrote them."""
        return {name: json.loads((self.folder / f"{name}.json").read_text()) for name in self.processes}

    def ask(self, word: str) -> Any:
        """What the clients answer to a word."""
        self.pipe.send(word)
        return self.pipe.recv()

    def problems(self) -> list[str]:
        """The lines of the logs that speak of trouble."""
        words = (" WARN", " ERROR", " CRITICAL", "Traceback")
        logs = (process.log.read_text(errors="replace").splitlines() for process in self.processes.values())
        return [line for log in logs for line in log if any(word in line for word in words)]


def _environment(tree: Path) -> dict[str, str]:
    return {**ENVIRONMENT, "PYTHONPATH": str(tree)}


def _run(tree: Path, *words: str, given: str = "") -> str:
    command = [sys.executable, *words]
    done = subprocess.run(command, env=_environment(tree), cwd=tree, input=given, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr[-2000:]}")
    return done.stdout


def _started(stack: ExitStack, *words: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-m", *words], cwd=ROOT, stdout=subprocess.DEVNULL)

    def end() -> None:
        process.kill()
        process.wait()

    stack.callback(end)
    return process


def _means(stack: ExitStack, folder: Path, layout: str, servers: dict[str, int]) -> dict[str, str]:
    """The database and the bus of a layout, started; their settings."""
    if layout == "one":
        return {"database_url": f"sqlite:///{folder}/skywatch.sqlite", "bus": "memory"}
    postgresql = OwnPostgreSQL(folder)
    stack.callback(postgresql.stop)
    postgresql.start()
    postgresql.create()
    bus = OwnNats(folder / "nats") if layout == "nats" else OwnRedis(folder)
    stack.callback(bus.stop)
    bus.start()
    for name, server in (("PostgreSQL", postgresql), (layout, bus)):
        if server.process is not None:
            servers[name] = server.process.pid
    return {
        "database_url": postgresql.url(),
        "bus": f"nats://127.0.0.1:{bus.port}" if layout == "nats" else f"redis://127.0.0.1:{bus.port}/0",
    }


def _write_ini(folder: Path, settings: dict[str, Any]) -> Path:
    ini = folder / "skywatch.ini"
    lines = [f"{name} = {value}" for name, value in settings.items()]
    ini.write_text("[app:main]\nuse = egg:skywatch\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return ini


def _process(folder: Path, tree: Path, ini: Path, name: str, ports: tuple[int, int]) -> Process:
    roles = ["--role", name] if name in ROLES else []
    # A process without the role listens on no port.
    environment = {**_environment(tree), "LISTEN": f"127.0.0.1:{ports[0]}", "REALTIME_LISTEN": f"127.0.0.1:{ports[1]}"}
    command = [
        sys.executable, str(HERE / "measured.py"), str(folder / f"{name}.json"), "serve", str(ini), *roles,
    ]  # fmt: skip
    return Process(name, command, environment, folder / f"{name}.log")


@contextmanager
def running(folder: Path, layout: str, size: Size, tree: Path = ROOT) -> Iterator[Whole]:
    """Everything started, with all clients connected; ``tree`` is the checkout whose service is measured."""
    with ExitStack() as stack:
        sky, recordings = folder / "sky", folder / "recordings"
        for made in (sky, recordings):
            made.mkdir()
        world = _started(stack, "benchmarks._whole.world", str(sky), str(size.aircraft))
        until((sky / "aircraft.json").exists, "the world")
        acars_port, ports = free_port(), (free_port(), free_port())
        servers: dict[str, int] = {}
        ini = _write_ini(
            folder,
            {
                "environment": "development",
                "secret": "only-for-benchmarks-0123456789abcdef0123456789",
                "station_lat": CENTRES[0][0],
                "station_lon": CENTRES[0][1],
                "receiver.world": f"readsb {sky}/aircraft.json",
                "picture_max_aircraft": 60_000,
                "acars.vhf": f"udp 127.0.0.1:{acars_port}",
                "audio.tower": f"folder {recordings}",
                "audio_directory": folder / "audio",
                "realtime_connections_per_address": 10_000,
                "realtime_connections_per_user": 10_000,
                "console_first_run": "false",
                **{f"default_throttle_rates.{name}": "1000000/minute" for name in ("anon", "user", "live")},
                **_means(stack, folder, layout, servers),
            },
        )
        _run(tree, "-m", "skywatch", "init", str(ini))
        url = next(line.split(" = ", 1)[1] for line in ini.read_text().splitlines() if line.startswith("database_url"))
        centres = [centre for centre, _ in regions(size.aircraft)]
        hexes = [aircraft["hex"] for aircraft in json.loads((sky / "aircraft.json").read_bytes())["aircraft"]]
        given = json.dumps({"centres": centres, "hexes": hexes, "users": size.users})
        users = json.loads(_run(tree, str(HERE / "population.py"), url, given=given))["users"]

        names = ("service",) if layout == "one" else ROLES
        processes = {name: _process(folder, tree, ini, name, ports) for name in names}
        for process in processes.values():
            stack.callback(process.stop)
            process.start()
        _wait_for(folder, processes, ports)
        _started(stack, "benchmarks._acars_sender", str(acars_port), str(size.acars_s), str(MAX_S))
        plan = clients.Plan(*ports, users, centres, str(recordings), size.subscribers, size.requests_s)
        yield Whole(folder, processes, _clients(stack, plan), servers, world.pid)


def _wait_for(folder: Path, processes: dict[str, Process], ports: tuple[int, int]) -> None:
    import socket
    import urllib.error
    import urllib.request

    def is_up() -> bool:
        for process in processes.values():
            if process.running is None or process.running.poll() is not None:
                raise RuntimeError(f"{process.name} has ended: {process.log.read_text()[-2000:]}")
        try:
            socket.create_connection(("127.0.0.1", ports[1]), timeout=1).close()
            urllib.request.urlopen(f"http://127.0.0.1:{ports[0]}/api/v1/auth/config", timeout=5).close()
        except (OSError, urllib.error.HTTPError):
            return False
        return all((folder / f"{name}.json").exists() for name in processes)

    until(is_up, "the start of the service", wait_s=START_S)


def _clients(stack: ExitStack, plan: clients.Plan) -> Pipe:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=clients.run, args=(theirs, plan))
    process.start()
    theirs.close()

    def end() -> None:
        ours.close()
        process.join(5)
        process.kill()
        process.join()

    stack.callback(end)
    ready = ours.recv()
    if ready != "ready":
        raise RuntimeError(f"the clients said {ready}")
    return ours
