"""Exports in a process of their own: ``python -m tests.exporting URL FORMAT END BEGIN ...`` prints what each took.

They follow each other; the peak of memory is that of the process up to the end of each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks._history_queries import Client, iso

_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 1e6


def export(url: str, format_: str, end: float, *begins: float) -> list[dict[str, Any]]:
    """Export from each begin in one process of its own; what it says of each."""
    command = [sys.executable, "-m", "tests.exporting", url, format_, str(end), *map(str, begins)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()[-len(begins) :]]


def resident_mb() -> float:
    """Memory of this process now (MB)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_MB


def peak_mb() -> float:
    """The most memory this program has had (MB); ``getrusage`` would begin with that of whoever started it."""
    status = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))) * 1024 / 1e6


def main(url: str, format_: str, end: float, *begins: float) -> None:
    """Export through the view, throw the bytes away, and say how large each export was and what it took."""
    client = Client(url)
    client("flights", limit=1)
    for begin in begins:
        print(json.dumps(_figures(client, format_, begin, end)))


def _figures(client: Client, format_: str, begin: float, end: float) -> dict[str, float]:
    idle_mb, began = resident_mb(), time.process_time()
    size = client("export", format=format_, from_=iso(begin), to=iso(end))
    return {
        "bytes": size,
        "cpu_s": time.process_time() - began,
        "idle_mb": idle_mb,
        "peak_mb": peak_mb(),
        "end_mb": resident_mb(),
    }


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:]))
