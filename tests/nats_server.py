"""NATS servers of a test's own, that may be stopped, frozen and started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.ports import free_port
from tests.servers import program
from tests.waiting import PATIENCE_S, until

# Debian has it outside of the path.
SEARCHED = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))


class OwnNats:
    """On a port that it has again after a stop; what JetStream stores is kept over that."""

    def __init__(
        self, folder: Path, *, jetstream: bool = True, user: str = "", password: str = "", max_store: str = ""
    ) -> None:
        self.port = free_port()
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None
        self._options = ["-js", "-sd", str(folder)] if jetstream else []
        self._options += ["--user", user, "--pass", password] if user else []
        if max_store:
            folder.mkdir(exist_ok=True)
            configuration = folder / "nats.conf"
            configuration.write_text(f'jetstream {{ store_dir: "{folder}", max_file_store: {max_store} }}\n')
            self._options = ["-c", str(configuration)]

    def join(self, name: str, cluster_port: int, routes: list[str]) -> None:
        """Be a server of a cluster from the next start on."""
        self._options += ["--name", name, "--cluster_name", "tests"]
        self._options += ["--cluster", f"nats://127.0.0.1:{cluster_port}", "--routes", ",".join(routes)]

    def start(self) -> None:
        """Start and wait until it listens; skips the test where the program is not installed."""
        command = [program("nats-server"), "-a", "127.0.0.1", "-p", str(self.port), *self._options]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self._answers, "the start of nats-server")

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as connection:
                return connection.recv(5) == b"INFO "
        except OSError:
            return False

    def freeze(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """Kill it."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(PATIENCE_S)
            self.process = None


@contextmanager
def cluster(folder: Path, *, max_store: str = "") -> Iterator[list[OwnNats]]:
    """Three servers that know each other."""
    servers = [OwnNats(folder / str(number), max_store=max_store) for number in range(3)]
    ports = [free_port() for _ in servers]
    for number, server in enumerate(servers):
        server.join(f"n{number}", ports[number], [f"nats://127.0.0.1:{port}" for port in ports])
    try:
        for server in servers:
            server.start()
        yield servers
    finally:
        for server in servers:
            server.stop()
