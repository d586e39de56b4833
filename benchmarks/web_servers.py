"""What a web server and a proxy cost: the own profile with a JWT under several, and an application that does nothing.

Processor time a request of the server and of the proxy before it, and requests a second; one worker each. nginx and
HAProxy take part where they are installed.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks._cores import on_core
from benchmarks._load import free_port, requests_a_second
from benchmarks.rest import CONNECTIONS, cpu_s, sample_sky, server
from skywatch.picture.state.sky import to_bytes

SECONDS, WARM_UP_S, ROUNDS, WAIT_S = 1.5, 1.0, 6, 120.0
BARE, SKYWATCH = "benchmarks.peers.bare_app", "benchmarks.peers.secured_app"
SERVERS = {"skywatch": "waitress, as Skywatch runs it", "waitress": "waitress, plain", "gunicorn": "gunicorn, gthread"}
PROXIES = ("nginx", "haproxy")
PROFILE = "/api/v1/auth/profile"
NGINX = """daemon off;
master_process off;
pid FOLDER/nginx.pid;
error_log FOLDER/nginx.log;
events {}
http {
    access_log off;
    client_body_temp_path FOLDER/body;
    proxy_temp_path FOLDER/proxied;
    fastcgi_temp_path FOLDER/fastcgi;
    uwsgi_temp_path FOLDER/uwsgi;
    scgi_temp_path FOLDER/scgi;
    keepalive_requests 1000000;
    upstream api {
        server 127.0.0.1:BEHIND;
        keepalive 32;
        keepalive_requests 1000000;
    }
    server {
        listen 127.0.0.1:PORT;
        location / {
            proxy_pass http://api;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
        }
    }
}
"""
HAPROXY = """global
    nbthread 1
defaults
    mode http
    http-reuse always
    timeout client 60s
    timeout server 60s
    timeout connect 5s
frontend front
    bind 127.0.0.1:PORT
    default_backend api
backend api
    server one 127.0.0.1:BEHIND
"""


@dataclass
class Case:
    """An address, the processes that answer it, and what a request cost each in the rounds (us)."""

    name: str
    port: int
    path: str
    headers: str
    pids: tuple[int, ...]
    costs: list[tuple[float, ...]] = field(default_factory=list)
    rate: float = 0.0

    def ask(self) -> None:
        """One round."""
        before, began = [cpu_s(pid) for pid in self.pids], time.perf_counter()
        rate = asyncio.run(requests_a_second(self.port, self.path, SECONDS, CONNECTIONS, self.headers))
        requests = rate * (time.perf_counter() - began)
        self.costs.append(tuple(1e6 * (cpu_s(p) - b) / requests for p, b in zip(self.pids, before, strict=True)))
        self.rate = max(self.rate, rate)


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack, on_core(-1):
        cases = list(_cases(stack, Path(folder)))
        for case in cases:
            asyncio.run(requests_a_second(case.port, case.path, WARM_UP_S, CONNECTIONS, case.headers))
        for _ in range(ROUNDS):
            for case in cases:
                case.ask()
    print(f"one worker each, {CONNECTIONS} connections, best of {ROUNDS} rounds taken in turn")
    print(f"{'':62} {'us, server':>10} {'us, proxy':>10} {'requests/s':>10}")
    for case in cases:
        best = min(case.costs, key=sum)
        proxy = f"{best[1]:10.0f}" if len(best) > 1 else f"{'':10}"
        print(f"{case.name:62} {best[0]:10.0f} {proxy} {case.rate:10,.0f}")


def _cases(stack: ExitStack, folder: Path) -> Iterator[Case]:
    servers = {kind: name for kind, name in SERVERS.items() if kind != "gunicorn" or importlib.util.find_spec(kind)}
    for kind, name in servers.items():
        port, pid = _start(stack, BARE, {"BENCH_SERVER": kind})
        yield Case(f"nothing but the answer: {name}", port, "/", "", (pid,))
    sky = folder / "sky.bin"
    sky.write_bytes(to_bytes(sample_sky()))
    for kind, name in servers.items():
        credentials = folder / f"{kind}.json"
        environment = {"BENCH_SERVER": kind, "BENCH_SKY": str(sky), "BENCH_CREDENTIALS": str(credentials)}
        port, pid = _start(stack, SKYWATCH, environment)
        header = f"{_credential(credentials)}\r\n"
        yield Case(f"profile with a JWT: {name}", port, PROFILE, header, (pid,))
        if kind == "skywatch":
            for proxy in PROXIES:
                if shutil.which(proxy):
                    front, its_pid = _proxy(stack, folder, proxy, port)
                    yield Case(f"profile with a JWT: the same behind {proxy}", front, PROFILE, header, (pid, its_pid))


def _start(stack: ExitStack, module: str, environment: dict[str, str]) -> tuple[int, int]:
    port = free_port()
    command = [sys.executable, "-m", module]
    return port, stack.enter_context(server(command, port, {**environment, "BENCH_PORT": str(port)}))


def _credential(path: Path) -> str:
    """The header, once the application is there: gunicorn listens before."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        if path.exists() and (text := path.read_text()):
            header: str = json.loads(text)["JWT"]
            return header
        time.sleep(0.1)
    raise TimeoutError("the application did not start")


def _proxy(stack: ExitStack, folder: Path, kind: str, behind: int) -> tuple[int, int]:
    port, written = free_port(), folder / f"{kind}.conf"
    text = (NGINX if kind == "nginx" else HAPROXY).replace("FOLDER", str(folder))
    written.write_text(text.replace("PORT", str(port)).replace("BEHIND", str(behind)))
    command = [kind, "-c", str(written)] if kind == "nginx" else [kind, "-db", "-f", str(written)]
    return port, stack.enter_context(server(command, port, {}))


if __name__ == "__main__":
    main()
