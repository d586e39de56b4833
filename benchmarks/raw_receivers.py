"""Receivers of raw frames compared: readsb, dump1090-mutability and Skywatch, all fed the same Beast frames.

Processor time for 1,000 messages, of the whole process while frames come in over a socket in real time: 500 aircraft,
2,000 messages a second of every kind; nobody knows the antenna's place, so that no range limits whom they see.
The peers run with ``--net-only`` and write ``aircraft.json`` once a second;
Skywatch runs as a whole service (SQLite, history, REST, the real-time channel, all monitors), and its decoder alone in
this process. The peers are programs that are only run: those that SKYWATCH_READSB and SKYWATCH_DUMP1090 name, or those
on the PATH; one that is not there is skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks._frames import Timed, mixed_traffic
from benchmarks._load import free_port, wait_for
from benchmarks._whole.table import server_s
from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.mode_s.decoder import Decoder
from skywatch.receivers.mode_s.encoder import beast
from tests.processes import ENVIRONMENT

AIRCRAFT, SECONDS = 500, 40
# Before anything is sent; what a process does by itself is shown apart.
SETTLE_S, IDLE_S = 5.0, 10.0
# The sender writes what is due, and a process has what it received in its answer, after so long (s).
WRITE_EVERY_S, ANSWER_S = 0.02, 2.5


@dataclass
class Cost:
    """What a process used; ``positions`` of ``aircraft`` are those that its answer has at the end."""

    processor_s: float
    idle_ms_s: float
    frames: int
    aircraft: int
    positions: int

    def line(self, name: str) -> str:
        """Its row of the table: whole, and without what it does while it receives nothing."""
        whole = 1e6 * self.processor_s / self.frames
        added = 1e6 * (self.processor_s - self.idle_ms_s / 1000 * SECONDS) / self.frames
        return f"{name:<54} {whole:>8.1f} {added:>8.1f} {self.idle_ms_s:>8.1f} {self.aircraft:>9} {self.positions:>10}"


def send(connection: socket.socket, frames: list[Timed]) -> None:
    """Send frames at their times."""
    began, at = time.monotonic(), 0
    while at < len(frames):
        elapsed, first = time.monotonic() - began, at
        while at < len(frames) and frames[at][0] <= elapsed:
            at += 1
        if at > first:
            connection.sendall(b"".join(beast(frame, int(when * 12e6) + 1) for when, frame in frames[first:at]))
        time.sleep(WRITE_EVERY_S)


def run(pid: int, connection: socket.socket, frames: list[Timed], answer: Callable[[], bytes]) -> Cost:
    """Feed a process and take its times and its answer."""
    time.sleep(SETTLE_S)
    before = server_s(pid)
    time.sleep(IDLE_S)
    began = server_s(pid)
    send(connection, frames)
    processor_s = server_s(pid) - began
    time.sleep(ANSWER_S)
    aircraft = json.loads(answer())["aircraft"]
    with_position = sum("lat" in entry for entry in aircraft)
    return Cost(processor_s, 1000 * (began - before) / IDLE_S, len(frames), len(aircraft), with_position)


def peers() -> dict[str, str | None]:
    """The peers and where each is; None where it is not installed."""
    return {
        "readsb": os.environ.get("SKYWATCH_READSB") or shutil.which("readsb"),
        "dump1090-mutability": os.environ.get("SKYWATCH_DUMP1090") or shutil.which("dump1090-mutability"),
    }


def of_peer(name: str, program: str, frames: list[Timed]) -> Cost:
    """A peer with an input for Beast."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        words = [program, "--net-only", "--net-bi-port", str(port), "--write-json", folder, "--quiet"]
        if name.startswith("dump1090"):
            # Its other ports are open unless they are 0.
            words += [word for kind in ("ri", "ro", "sbs", "bo") for word in (f"--net-{kind}-port", "0")]
        with _process(words, Path(folder)) as process:
            wait_for(port)
            with socket.create_connection(("127.0.0.1", port)) as connection:
                return run(process.pid, connection, frames, (Path(folder) / "aircraft.json").read_bytes)


def of_service(frames: list[Timed]) -> Cost:
    """Skywatch as a whole, which connects to the sender."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        api, realtime = free_port(), free_port()
        ini = Path(folder) / "skywatch.ini"
        ini.write_text(
            "[app:main]\nuse = egg:skywatch\nenvironment = development\nbus = memory\nauth_mode = public\n"
            f"database_url = sqlite:///{folder}/skywatch.sqlite\nlisten = 127.0.0.1:{api}\n"
            f"realtime_listen = 127.0.0.1:{realtime}\n"
            f"receiver.feed = beast 127.0.0.1:{server.getsockname()[1]}\nconsole_first_run = false\n"
        )
        command = [sys.executable, "-m", "skywatch"]
        subprocess.run([*command, "init", str(ini)], env=ENVIRONMENT, check=True, capture_output=True)
        with _process([*command, "serve", str(ini)], Path(folder)) as process:
            wait_for(api)
            server.settimeout(30.0)
            connection, _ = server.accept()
            url = f"http://127.0.0.1:{api}/data/aircraft.json"
            with connection:
                return run(process.pid, connection, frames, lambda: urllib.request.urlopen(url, timeout=30).read())


def of_decoder(frames: list[Timed], every_s: float) -> tuple[float, int]:
    """Microseconds a frame from Beast bytes to columns in batches of so many seconds, and the positions resolved."""
    pieces: dict[int, list[bytes]] = {}
    for at, frame in frames:
        pieces.setdefault(int(at / every_s), []).append(beast(frame, int(at * 12e6) + 1))
    streams = [b"".join(piece) for piece in pieces.values()]
    decoder, framer = Decoder(), BeastFramer()
    began = time.process_time()
    for stream in streams:
        batch = framer.feed(stream)
        batch.time = batch.ticks / 12e6
        decoder.decode(batch)
    return 1e6 * (time.process_time() - began) / len(frames), decoder.statistics.positions.resolved


@contextmanager
def _process(words: list[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log, env=ENVIRONMENT)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    """Print the table."""
    frames = mixed_traffic(AIRCRAFT, SECONDS)
    print(f"{len(frames):,} frames of {AIRCRAFT} aircraft in {SECONDS} s; ms of processor time for 1,000 messages")
    heads = ("whole", "added", "idle ms/s", "aircraft", "positions")
    print(f"{'':<54} {heads[0]:>8} {heads[1]:>8} {heads[2]:>8} {heads[3]:>9} {heads[4]:>10}")
    for name, program in peers().items():
        if program is None or not Path(program).exists():
            variable = "SKYWATCH_" + ("READSB" if name == "readsb" else "DUMP1090")
            print(f"{name:<54} skipped: it is not on the PATH, and {variable} names none")
        else:
            print(of_peer(name, program, frames).line(name), flush=True)
    print(of_service(frames).line("Skywatch, the whole service"), flush=True)
    for every_s in (0.1, 2.0):
        us, positions = of_decoder(frames, every_s)
        print(f"{f'Skywatch, the decoder alone, {every_s:g} s a batch':<54} {us:>8.1f} {'':>27} {positions:>11,}")


if __name__ == "__main__":
    main()
