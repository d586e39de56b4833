"""Mode S frames decoded a second of CPU time, compared with the decoders on PyPI (rs1090 and pyModeS) in the same run.

CPU time, because it is the same on a busy machine; only rs1090 on all cores is measured by the clock on the wall.

The peers run in an interpreter of their own: the one that SKYWATCH_PEERS_PYTHON names, or else a virtual
environment in build/peers that is made when it is missing. Where that cannot be done the table says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from skywatch.core.geo import destination
from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.framing.frames import FrameBatch
from skywatch.receivers.mode_s.decoder import Decoder
from skywatch.receivers.mode_s.encoder import (
    airborne_position,
    all_call,
    beast,
    identification,
    reply,
    reply_altitude_code,
    squitter,
    velocity,
)

ROOT = Path(__file__).resolve().parent.parent
PEERS_ENVIRONMENT = ROOT / "build" / "peers"
PEERS = ("rs1090", "pyModeS")
AIRCRAFT, SECONDS = 500, 100
LIVE_BATCH, REPLAY_BATCH, READ_BYTES = 100, 4096, 65_536
ROUNDS = 3

Timed = tuple[float, bytes]


def airborne_traffic() -> list[Timed]:
    """Position squitters of AIRCRAFT aircraft, even and odd in turn, two a second each."""
    frames = []
    for half_seconds in range(SECONDS * 2):
        for number in range(AIRCRAFT):
            at = half_seconds / 2 + number / AIRCRAFT / 2
            lat, lon = place(number, at)
            message = airborne_position(lat, lon, half_seconds % 2, 1000 + number * 75)
            frames.append((at, squitter(0x400000 + number * 97, message)))
    return frames


def place(number: int, at: float) -> tuple[float, float]:
    """Where an aircraft is at a time."""
    start_lat, start_lon = 42.0 + number % 25 * 0.4, -5.0 + number // 25 * 0.8
    lat, lon = destination(start_lat, start_lon, number * 37 % 360, (250 + number % 250) * at / 3600)
    return float(lat), float(lon)


def mixed_traffic(positions: list[Timed]) -> list[Timed]:
    """What a receiver hears: positions, velocities, callsigns, all-call and surveillance replies."""
    mixed = []
    for count, (at, frame) in enumerate(positions):
        address = int.from_bytes(frame[1:4], "big")
        mixed.append((at, frame))
        others = (
            squitter(address, velocity(count % 900 - 450, 300, 640, 500)),
            all_call(address),
            reply(4, address, reply_altitude_code(1000 + count % AIRCRAFT * 75)),
            reply(20, address, reply_altitude_code(1000 + count % AIRCRAFT * 75), register=count),
            squitter(address, identification(f"TST{count % AIRCRAFT}")),
        )
        mixed.append((at, others[count // AIRCRAFT % len(others)]))
    return mixed


def batches(frames: list[Timed], size: int) -> Iterator[FrameBatch]:
    """Frames given as bytes, as batches of a size."""
    for first in range(0, len(frames), size):
        yield FrameBatch.of_tuples([(at, frame, -20.0) for at, frame in frames[first : first + size]])


def to_columns(frames: list[Timed], size: int) -> Callable[[], int]:
    """Bytes objects to decoded columns with resolved positions."""

    def run() -> int:
        decoder = Decoder()
        for batch in batches(frames, size):
            decoder.decode(batch)
        return decoder.statistics.positions.resolved

    return run


def to_messages(frames: list[Timed], size: int) -> Callable[[], int]:
    """Bytes objects to one message object a frame."""

    def run() -> int:
        decoder = Decoder()
        for batch in batches(frames, size):
            decoder.decode(batch).messages()
        return decoder.statistics.positions.resolved

    return run


def stream_to_columns(stream: bytes) -> Callable[[], int]:
    """A Beast byte stream to decoded columns, as it comes from a socket or a file."""

    def run() -> int:
        decoder, framer = Decoder(), BeastFramer()
        for first in range(0, len(stream), READ_BYTES):
            batch = framer.feed(stream[first : first + READ_BYTES])
            batch.time = batch.ticks / 12e6
            decoder.decode(batch)
        return decoder.statistics.positions.resolved

    return run


def best_of(run: Callable[[], int]) -> tuple[float, int]:
    """CPU seconds of the quickest round, and what it returned."""
    best, result = float("inf"), 0
    for _ in range(ROUNDS):
        begin = time.process_time()
        result = run()
        best = min(best, time.process_time() - begin)
    return best, result


def peers_interpreter() -> str | None:
    """A Python that has the peers, or None; makes one where that is possible."""
    named = os.environ.get("SKYWATCH_PEERS_PYTHON")
    if named:
        return named
    python = PEERS_ENVIRONMENT / "bin" / "python"
    if not python.exists():
        commands = (
            [sys.executable, "-m", "venv", str(PEERS_ENVIRONMENT)],
            [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PEERS],
        )
        try:
            for command in commands:
                subprocess.run(command, check=True, timeout=300, capture_output=True)
        except (OSError, subprocess.SubprocessError):
            return str(python) if python.exists() else None
    return str(python)


def peer(python: str, name: str, path: str, one_core: bool) -> dict[str, Any] | None:
    """What a peer makes of the same frames, or None where it is not installed."""
    environment = os.environ | ({"RAYON_NUM_THREADS": "1"} if one_core else {})
    environment.pop("PYTHONPATH", None)
    command = [python, str(ROOT / "benchmarks" / "peers" / "mode_s.py"), name, path, str(ROUNDS)]
    command.append("cpu" if one_core else "wall")
    try:
        done = subprocess.run(command, check=True, timeout=600, capture_output=True, env=environment)
    except (OSError, subprocess.SubprocessError):
        return None
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def row(what: str, rate: float, positions: int) -> None:
    """One line of the table."""
    print(f"{what:<58} {rate:>12,.0f} {positions:>12,}")


def main() -> None:
    """Print the table."""
    positions = airborne_traffic()
    mixed = mixed_traffic(positions)
    stream = b"".join(beast(frame, int(at * 12e6) + 1) for at, frame in positions)
    print(
        f"{len(positions):,} airborne position frames of {AIRCRAFT} aircraft; best of {ROUNDS}; one core where not said"
    )
    print(f"{'':<58} {'frames/CPU s':>12} {'positions':>12}")
    cases = (
        (f"bytes to columns, {REPLAY_BATCH} frames a batch", to_columns(positions, REPLAY_BATCH), len(positions)),
        (f"bytes to columns, {LIVE_BATCH} frames a batch", to_columns(positions, LIVE_BATCH), len(positions)),
        (f"bytes to messages, {REPLAY_BATCH} frames a batch", to_messages(positions, REPLAY_BATCH), len(positions)),
        ("Beast stream to columns, 64 KiB a read", stream_to_columns(stream), len(positions)),
        (f"mixed traffic to columns, {REPLAY_BATCH} frames a batch", to_columns(mixed, REPLAY_BATCH), len(mixed)),
    )
    for what, run, count in cases:
        seconds, resolved = best_of(run)
        row(f"Skywatch, {what}", count / seconds, resolved)
    small = positions[: 20 * 1000]
    print(f"{'Skywatch, cost of a batch of 20 frames':<58} {best_of(to_columns(small, 20))[0] * 1e6 / 1000:>9,.0f} us")
    python = peers_interpreter()
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.writelines(f"{at},{frame.hex()}\n" for at, frame in positions)
        file.flush()
        for name, what, one_core in (
            ("rs1090", "", True),
            ("rs1090", ", all cores, wall clock", False),
            ("pyModeS", "", True),
        ):
            found = peer(python, name, file.name, one_core) if python else None
            if found is None:
                print(f"{name}{what}: not installed")
            else:
                row(f"{name} {found['version']}, list of hex to dicts{what}", found["rate"], found["positions"])


if __name__ == "__main__":
    main()
