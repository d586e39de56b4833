"""A release is rolled through all processes, under subscribers and requests: none fails, no event is lost or doubled.

``python -m tests.drills.rolling`` rolls the newest release to this checkout on the buses which that release has, then
this checkout to one with a further step of the schema on NATS, and back. Two processes of each role behind nginx, and a
tracker, are replaced one after the other. A subscriber lacks an event that came neither as an event nor in a snapshot
after a break. Feeders send visitors, each of which raises one alert that is told to one webhook (not where the newest
release knows no feeders).
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from skywatch.client.channel import Client, Event
from skywatch.client.tokens import FixedToken
from tests.audio import sound
from tests.drills.feeders import AIRCRAFT, Feeders, hex_of, make_rule
from tests.drills.ingest_loss import register, takes_feeders
from tests.ports import free_port
from tests.processes import PASSWORD, Service
from tests.receiving import Receiver, receiving
from tests.releases import build, build_next, command, has_nats, newest_release
from tests.servers import nats_prefix, postgresql_database, redis_prefix
from tests.waiting import PATIENCE_S, until

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")
SUBSCRIBERS, REQUESTS_S, SETTLE_S = 50, 20.0, 10.0
SERVING, EVERY_ROLE = ("api", "realtime"), ("ingest", "worker", "api", "realtime")
# A visitor that came so long ago has been told, if ever: another worker takes up what one that is replaced has left.
TOLD_S = 20.0
# One request in so many adds a transmission, which is an event.
WRITES_EVERY = 10
READS = ("aircraft?limit=50", "aircraft/stats", "system/receivers", "alerts/rules", "auth/profile", "audio/channels")
CONFIGURATION = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  map $http_upgrade $skywatch_connection {{ default upgrade; '' ''; }}
  upstream skywatch_api {{ {api} keepalive 16; }}
  upstream skywatch_realtime {{ {realtime} }}
  server {{
    listen 127.0.0.1:{port};
    proxy_http_version 1.1; proxy_set_header Host $host; proxy_set_header Connection $skywatch_connection;
    proxy_next_upstream error timeout http_503; proxy_connect_timeout 2s;
    location / {{ proxy_pass http://skywatch_api; }}
    location /ws {{
      proxy_pass http://skywatch_realtime; proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Host $host; proxy_set_header Connection $skywatch_connection;
    }}
  }}
}}
"""


@dataclass
class Result:
    """What was seen: answers by status, and of each subscriber the events it lacks and those that came twice."""

    answers: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    events: int = 0
    lost: int = 0
    doubled: int = 0
    breaks: int = 0
    visitors: int = 0
    untold: int = 0
    told_again: int = 0
    gone: int = 0
    unheard_s: float = 0.0

    def __str__(self) -> str:
        return (
            f"requests {sum(self.answers.values())}, failed {len(self.failed)} {self.failed[:5] or ''}; "
            f"events {self.events}, lost {self.lost}, doubled {self.doubled}; breaks of subscribers {self.breaks}; "
            f"visitors {self.visitors}, not told {self.untold}, told again {self.told_again}; aircraft of feeders that "
            f"went {self.gone}, unheard for at most {self.unheard_s:.1f} s"
        )

    @property
    def is_clean(self) -> bool:
        """Whether nothing failed, and something was tried."""
        is_right = not (self.failed or self.lost or self.doubled or self.untold or self.told_again or self.gone)
        return is_right and self.events > 0 and self.breaks > 0


def _is_done(answer: httpx.Response) -> bool:
    return answer.status_code in (200, 201)


class Requests:
    """Sends requests one after the other at a pace, from several threads."""

    def __init__(
        self, base: str, token: str, per_s: float, result: Result, is_right: Callable[[httpx.Response], bool] = _is_done
    ) -> None:
        self._base, self._result, self._is_right, self._stop = base, result, is_right, threading.Event()
        self._client = httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=30.0)
        self._lock = threading.Lock()
        self._number = 0
        self.added: set[int] = set()
        self._sound = sound(0.2)
        self._threads = [threading.Thread(target=self._run, args=(4 / per_s,), daemon=True) for _ in range(4)]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End."""
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self._client.close()

    def start_over(self) -> Result:
        """Note answers in a new result from now on, which is returned."""
        with self._lock:
            self._result = Result()
            return self._result

    def _run(self, every_s: float) -> None:
        while not self._stop.wait(every_s):
            with self._lock:
                self._number += 1
                number = self._number
            path = READS[number % len(READS)] if number % WRITES_EVERY else "audio/transmissions"
            is_write = not number % WRITES_EVERY
            moment = time.strftime("%H:%M:%S")
            try:
                answer = self._add() if is_write else self._client.get(f"{self._base}/{path}")
                status, is_right = str(answer.status_code), self._is_right(answer)
            except httpx.HTTPError as error:
                status, is_right = type(error).__name__, False
            with self._lock:
                self._result.answers[status] += 1
                if not is_right:
                    self._result.failed.append(f"{moment} {'POST' if is_write else 'GET'} {path}: {status}")

    def _add(self) -> httpx.Response:
        answer = self._client.post(
            f"{self._base}/audio/transmissions",
            data={"channel": "Tower"},
            files={"audio": ("a.wav", self._sound, "audio/wav")},
        )
        if answer.status_code == 201:
            with self._lock:
                self.added.add(answer.json()["id"])
        return answer


class Subscribers:
    """Follow the aircraft and the transmissions through the proxy, in a loop in a thread of its own."""

    def __init__(self, url: str, token: str, count: int) -> None:
        self.clients = [Client(url, ["aircraft", "audio"], tokens=FixedToken(token)) for _ in range(count)]
        self.singly: list[Counter[int]] = [Counter() for _ in range(count)]
        self.in_snapshots: list[set[int]] = [set() for _ in range(count)]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._following = asyncio.run_coroutine_threadsafe(self._follow_all(), self._loop)
        until(lambda: all(client.connected for client in self.clients), "all subscribers are connected")

    async def _follow_all(self) -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(len(self.clients)):
                group.create_task(self._follow(number))

    async def _follow(self, number: int) -> None:
        async for event in self.clients[number]:
            self._take(number, event)

    def _take(self, number: int, event: Event) -> None:
        if event.event == "audio:transmission":
            self.singly[number][event.data["id"]] += 1
        elif event.event == "audio:snapshot":
            self.in_snapshots[number] |= {one["data"]["id"] for one in event.data["events"]}

    def lacking(self, added: set[int]) -> int:
        """How many events are missing, of all subscribers."""
        pairs = zip(self.singly, self.in_snapshots, strict=True)
        return sum(len(added - singly.keys() - listed) for singly, listed in pairs)

    def close(self) -> None:
        """End."""
        self._following.cancel()
        with suppress(CancelledError):
            self._following.result(PATIENCE_S)
        asyncio.run_coroutine_threadsafe(asyncio.sleep(1.0), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()


class Visits:
    """Feeders that send visitors to the ingest processes, a rule that alerts of each, and the webhook that is told."""

    def __init__(self, installation: Installation, base: str, token: str, told: Receiver) -> None:
        self._base, self._told = base, told
        self._headers = {"Authorization": f"Bearer {token}"}
        body = {"kind": "webhook", "name": "Drill", "address": told.url}
        channel = httpx.post(f"{base}/alerts/channels/", json=body, headers=self._headers, timeout=30.0)
        assert channel.status_code == 201, channel.text
        make_rule(base, token, [channel.json()["id"]])
        self._feeders = Feeders([("127.0.0.1", port) for port in installation.feeder_ports])
        register(str(installation.shared["database_url"]), self._feeders.digits)
        self._feeders.start()
        until(lambda: len(self._unheard_s()) >= AIRCRAFT, "the aircraft of the feeders")
        self._gone, self._longest_s = 0, 0.0
        self._stop = threading.Event()
        self._watching = threading.Thread(target=self._watch, daemon=True)
        self._watching.start()

    def close(self) -> None:
        """End."""
        self._stop.set()
        self._watching.join()
        self._feeders.close()

    def _watch(self) -> None:
        while not self._stop.wait(0.5):
            unheard_s = self._unheard_s()
            self._gone = max(self._gone, AIRCRAFT - len(unheard_s))
            self._longest_s = max([self._longest_s, *unheard_s])

    def look(self, result: Result) -> None:
        """Note what was missed of what always flies, and who of the visitors was told how often."""
        result.gone, result.unheard_s = self._gone, self._longest_s
        expected = {hex_of(number) for number in self._feeders.sky.arrived(time.monotonic(), TOLD_S)}
        names = self._names()
        result.visitors = len(expected)
        result.untold = len(expected - names.keys())
        result.told_again = sum(count - 1 for count in names.values())

    def _names(self) -> Counter[str]:
        return Counter(document["data"]["icao_hex"] for document in self._told.documents)

    def _unheard_s(self) -> list[float]:
        """For how long each aircraft that always flies has not been heard."""
        path = f"{self._base}/aircraft?limit=1000&fields=hex,flight,seen"
        aircraft = httpx.get(path, headers=self._headers, timeout=30.0).json().get("aircraft", [])
        return [one["seen"] for one in aircraft if one.get("flight", "").startswith("SKY")]


class Installation:
    """A tracker, and two processes of each other role, those for callers behind nginx."""

    def __init__(self, folder: Path, bus: str, database_url: str, tree: Path | None, roles: Sequence[str]) -> None:
        self._folder, self._roles = folder, roles
        self._feeder_ports: dict[Service, int] = {}
        self.shared = {
            "secret": "x" * 40, "bus": bus, "database_url": database_url,
            "receiver__demo": "simulate aircraft=60 seed=3", "audio_directory": str(folder / "audio"),
            "console_first_run": None,
            "default_throttle_rates__user": "1000000/minute",
            "trusted_proxy": "127.0.0.1", "realtime_connections_per_address": "1000",
            "realtime_connections_per_user": "1000", "notify_allow_networks": "127.0.0.0/8",
        }  # fmt: skip
        self.tracker = self._service("tracker", tree)
        self.others = [(role, self._service(f"{role}{n}", tree)) for role in roles for n in range(2)]
        self._number = 0

    def _service(self, name: str, tree: Path | None) -> Service:
        folder, port = self._folder / name, free_port()
        folder.mkdir()
        listening = {"receiver__feeders": f"listen 127.0.0.1:{port}"} if "ingest" in self._roles else {}
        service = Service(folder, **self.shared, **listening)
        service.tree = tree
        self._feeder_ports[service] = port
        return service

    @property
    def feeder_ports(self) -> list[int]:
        """Where the ingest processes take feeders."""
        return [self._feeder_ports[service] for role, service in self.others if role == "ingest"]

    def start(self) -> None:
        """Create the database and start all, each with the code that it has."""
        tree, ini = self.tracker.tree, str(self.tracker.ini)
        command(tree, "init", ini)
        adding = ("--role", "superadmin", "--email", "drill@example.org", "--password-stdin")
        command(tree, "user", "add", *adding, ini, "drill", stdin=PASSWORD)
        self.tracker.start("--role", "tracker", wait=False)
        for role, service in self.others:
            self._start(role, service)

    def roll(self, tree: Path | None) -> None:
        """Bring the schema up to date while all run, then replace one process after the other."""
        print("   ", command(tree, "init", str(self.tracker.ini)).splitlines()[-1], flush=True)
        self._number += 1
        standby = self._service(f"tracker-{self._number}", tree)
        standby.start("--role", "tracker", wait=False)
        until(lambda: "stands by" in standby.log.read_text(), "the new tracker stands by")
        assert self.tracker.stop() == 0
        until(lambda: "this tracker leads" in standby.log.read_text(), "the new tracker leads")
        self.tracker = standby
        for role, service in self.others:
            assert service.stop() == 0
            service.tree = tree
            self._start(role, service)

    def _start(self, role: str, service: Service) -> None:
        service.start("--role", role, wait=role == "api")
        if role == "realtime":
            until(lambda: "Real time:" in service.log.read_text().rpartition("Stopping.")[2], "it listens")
        elif role == "ingest":
            until(lambda: takes_feeders(self._feeder_ports[service]), "it takes feeders")
        elif role == "worker":
            until(lambda: "is running" in service.log.read_text().rpartition("Stopping.")[2], "it works")

    def stop(self) -> None:
        """End all that run."""
        for service in (self.tracker, *(service for _, service in self.others)):
            service.stop()

    @contextmanager
    def proxy(self) -> Iterator[int]:
        """nginx before the processes; its port."""
        port, folder = free_port(), self._folder / "nginx"
        folder.mkdir()
        servers = {
            role: "".join(
                # A process that is being replaced is asked again at once.
                f"server 127.0.0.1:{service.port if role == 'api' else service.realtime_port} max_fails=0; "
                for one, service in self.others
                if one == role
            )
            for role in ("api", "realtime")
        }
        path = folder / "nginx.conf"
        path.write_text(CONFIGURATION.format(folder=folder, port=port, **servers))
        assert NGINX is not None, "nginx is not installed"
        process = subprocess.Popen([NGINX, "-c", str(path), "-p", str(folder), "-e", str(folder / "error.log")])
        try:
            until((folder / "nginx.pid").exists, "nginx runs")
            yield port
        finally:
            process.terminate()
            process.wait()


def roll(
    bus: str,
    trees: list[Path | None],
    folder: Path,
    *,
    subscribers: int = SUBSCRIBERS,
    requests_s: float = REQUESTS_S,
    settle_s: float = SETTLE_S,
) -> Result:
    """Start the code of the first tree, then roll each of the others through all processes."""
    result = Result()
    with ExitStack() as stack:
        has_feeders = all(tree is None or (tree / "skywatch/feeders").is_dir() for tree in trees)
        roles = EVERY_ROLE if has_feeders else SERVING
        installation = Installation(folder, bus, stack.enter_context(postgresql_database()), trees[0], roles)
        stack.callback(installation.stop)
        installation.start()
        port = stack.enter_context(installation.proxy())
        base = f"http://127.0.0.1:{port}/api/v1"
        login = httpx.post(f"{base}/auth/login", json={"username": "drill", "password": PASSWORD}, timeout=30.0)
        token = login.json()["access"]
        following = Subscribers(f"ws://127.0.0.1:{port}/ws", token, subscribers)
        stack.callback(following.close)
        visits = None
        if has_feeders:
            visits = Visits(installation, base, token, stack.enter_context(receiving()))
            stack.callback(visits.close)
        requests = Requests(base, token, requests_s, result)
        try:
            for tree in trees[1:]:
                time.sleep(settle_s)
                installation.roll(tree)
            time.sleep(settle_s)
        finally:
            requests.close()
        deadline = time.monotonic() + 30.0
        while following.lacking(requests.added) and time.monotonic() < deadline:
            time.sleep(0.1)
        result.events = len(requests.added)
        result.lost = following.lacking(requests.added)
        result.doubled = sum(count - 1 for one in following.singly for count in one.values())
        result.breaks = sum(client.connects - 1 for client in following.clients)
        if visits is not None:
            visits.look(result)
    return result


def main() -> int:
    """Run, and print what was seen; 1 where something failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subscribers", type=int, default=SUBSCRIBERS)
    parser.add_argument("--requests", type=float, default=REQUESTS_S, help="requests a second")
    options = parser.parse_args()
    is_clean = True
    with tempfile.TemporaryDirectory(prefix="skywatch-rolling-") as name:
        folder = Path(name)
        before = build(newest_release(), folder / "before")
        after = build_next(folder / "after")
        runs: list[tuple[str, str, list[Path | None]]] = [("the newest release to this one", "redis", [before, None])]
        if has_nats(before):
            runs.append(("the newest release to this one", "nats", [before, None]))
        runs.append(("this one to the next, and back", "nats", [None, after, None]))
        for number, (what, bus, trees) in enumerate(runs):
            with (redis_prefix if bus == "redis" else nats_prefix)() as url:
                place = folder / str(number)
                place.mkdir()
                result = roll(url, trees, place, subscribers=options.subscribers, requests_s=options.requests)
            print(f"{what}, on {bus}: {result}", flush=True)
            is_clean = is_clean and result.is_clean
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
