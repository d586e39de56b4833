"""Decodes the frames of a file with one of the decoders on PyPI and prints how fast: run by a peer's own interpreter.

Nothing of Skywatch is imported here, and nothing of the peers by Skywatch. The file has a line for each frame:
time, frame in hexadecimal.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import sys
import time
from typing import Any


def decode_with(name: str, frames: list[str], times: list[float]) -> list[Any]:
    """All frames at once, which is the quickest way that either library has."""
    library = importlib.import_module(name)
    found: list[Any] = library.decode(frames, times) if name == "rs1090" else library.decode(frames, timestamps=times)
    return found


def main() -> None:
    """Arguments: name of the library, file, rounds, "cpu" or "wall"."""
    name, path, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(path, encoding="ascii") as lines:
        rows = [line.strip().split(",") for line in lines]
    times, frames = [float(row[0]) for row in rows], [row[1] for row in rows]
    decode_with(name, frames[:100], times[:100])
    clock = time.process_time if sys.argv[4] == "cpu" else time.perf_counter
    best, positions = float("inf"), 0
    for _ in range(rounds):
        begin = clock()
        found = decode_with(name, frames, times)
        best = min(best, clock() - begin)
        positions = sum(1 for one in found if one and one.get("latitude") is not None)
    version = importlib.metadata.version(name)
    print(json.dumps({"version": version, "rate": len(frames) / best, "positions": positions}))


if __name__ == "__main__":
    main()
