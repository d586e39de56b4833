"""A day of a household in two hours and a half: the memory of a process whose clock runs ten times as fast.

``python -m tests.drills.day [--hours 24] [--speed 10]`` needs Debian's faketime and gcc, and a third of a core. It
prints the resident memory at the end of each hour of the service's time; 1 where it grew by more than 2 MB since the
second hour.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.processes import ENVIRONMENT, SKYWATCH, Service

AIRCRAFT = 60
GROWTH_MB = 2.0
LIBRARY = "faketime/libfaketimeMT.so.1"
# Python's locks wait by a function that libfaketime does not know; what waits for a minute of the service's time would
# wait for a minute of ours.
WAITS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until) {
    int (*wait)(sem_t *, clockid_t, const struct timespec *) = dlsym(RTLD_NEXT, "sem_clockwait");
    struct timespec now;
    clock_gettime(clock, &now);
    double left = (until->tv_sec - now.tv_sec + (until->tv_nsec - now.tv_nsec) / 1e9) / SPEED;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    double end = now.tv_sec + now.tv_nsec / 1e9 + (left > 0 ? left : 0);
    now.tv_sec = (time_t)end;
    now.tv_nsec = (long)((end - (double)now.tv_sec) * 1e9);
    return wait(sem, CLOCK_MONOTONIC, &now);
}
"""


def fast_clock(folder: Path, speed: int) -> dict[str, str]:
    """The variables with which a process has a clock that runs so many times as fast."""
    found = sorted(Path("/usr/lib").glob(f"*/{LIBRARY}"))
    compiler = shutil.which("gcc")
    if not found or compiler is None:
        raise SystemExit("this drill needs Debian's packages faketime and gcc")
    source, library = folder / "waits.c", folder / "waits.so"
    source.write_text(WAITS)
    subprocess.run([compiler, "-shared", "-fPIC", f"-DSPEED={speed}.0", "-o", library, source, "-ldl"], check=True)
    return {"LD_PRELOAD": f"{library} {found[0]}", "FAKETIME": f"+0 x{speed}"}


# As the units and the image have it.
ALLOCATOR = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}


def resident_mb(pid: int) -> float:
    """What a process holds in memory."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--speed", type=int, default=10)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {**ENVIRONMENT, **ALLOCATOR, **fast_clock(folder, options.speed)}
        service = Service(folder, receiver__demo=f"simulate aircraft={AIRCRAFT}", station_lat=47.45, station_lon=8.56)
        service.init()
        with service.log.open("ab") as log:
            process = subprocess.Popen([*SKYWATCH, "serve", str(service.ini)], env=environment, stdout=log, stderr=log)
        try:
            for hour in range(1, options.hours + 1):
                time.sleep(3600 / options.speed)
                if process.poll() is not None:
                    raise SystemExit(service.log.read_text()[-3000:])
                rows.append(resident_mb(process.pid))
                print(f"hour {hour:>2}  {rows[-1]:6.1f} MB", flush=True)
        finally:
            process.terminate()
            process.wait()
    return 1 if len(rows) > 2 and rows[-1] - rows[1] > GROWTH_MB else 0


if __name__ == "__main__":
    sys.exit(main())
