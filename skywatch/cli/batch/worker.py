"""Does tasks of ``skywatch batch``: as a process of the pool (``-m skywatch.cli.batch.worker``), or with Dask."""

from __future__ import annotations

import os
import queue
import sys
import threading

from skywatch.archive.batch.task import run_encoded
from skywatch.core.process.children import read_frame, write_frame
from skywatch.features import FEATURES


def work(data: bytes) -> bytes:
    """Do an encoded task; the encoded outcome. What Dask's workers run."""
    return run_encoded(FEATURES, data)


def main() -> None:
    """Do tasks until the input ends; then at once, whatever is under way: who would take its result is gone."""
    import pyarrow as pa

    pa.set_cpu_count(1)
    pa.set_io_thread_count(2)
    tasks: queue.Queue[bytes] = queue.Queue()

    def read() -> None:
        while (data := read_frame(sys.stdin.buffer)) is not None:
            tasks.put(data)
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        write_frame(sys.stdout.buffer, work(tasks.get()))


if __name__ == "__main__":
    main()
