"""What processes can suffer from while they run: a full disk, a slow one, and a clock that is off (Linux, gcc)."""

from __future__ import annotations

import mmap
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# As long as this each write and flush of a slow disk takes: some hundred times what a good one needs.
SLOW_MS = 100
# Two numbers that processes read while they run: by how much their clock is ahead (s), and how long each write and
# flush waits (ms). Clocks by which they measure how long something takes are those of the machine.
LIBRARY = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile int *conditions;
static int (*real_clock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
    int file = open(CONDITIONS, O_RDONLY | O_CLOEXEC);
    void *found = file < 0 ? MAP_FAILED : mmap(NULL, 8, PROT_READ, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    real_clock = dlsym(RTLD_NEXT, "clock_gettime");
    if (found != MAP_FAILED) conditions = found;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (!real_clock) real_clock = dlsym(RTLD_NEXT, "clock_gettime");
    int answer = real_clock(clock, now);
    int tells_time = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    if (!answer && conditions && tells_time) now->tv_sec += conditions[0];
    return answer;
}
time_t time(time_t *to) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}
int gettimeofday(struct timeval *restrict to, void *restrict zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    to->tv_sec = now.tv_sec;
    to->tv_usec = now.tv_nsec / 1000;
    return 0;
}

#define SLOW(type, name, given, passed) \\
    type name given { \\
        static type (*real) given; \\
        if (!real) real = dlsym(RTLD_NEXT, #name); \\
        if (conditions && conditions[1]) usleep(conditions[1] * 1000); \\
        return real passed; \\
    }
SLOW(ssize_t, pwrite, (int file, const void *from, size_t count, off_t at), (file, from, count, at))
SLOW(ssize_t, pwrite64, (int file, const void *from, size_t count, off_t at), (file, from, count, at))
SLOW(ssize_t, pwritev, (int file, const struct iovec *from, int count, off_t at), (file, from, count, at))
SLOW(ssize_t, pwritev64, (int file, const struct iovec *from, int count, off_t at), (file, from, count, at))
SLOW(int, fsync, (int file), (file))
SLOW(int, fdatasync, (int file), (file))
"""


def missing() -> list[str]:
    """What has to be installed for it, and is not here."""
    return ["gcc"] if shutil.which("gcc") is None else []


class Conditions:
    """The clock and the disk of all processes that get ``environment``; its files are in ``folder``."""

    def __init__(self, folder: Path) -> None:
        source, library, numbers = folder / "conditions.c", folder / "conditions.so", folder / "conditions"
        source.write_text(LIBRARY)
        numbers.write_bytes(bytes(8))
        with numbers.open("r+b") as file:
            self._numbers = mmap.mmap(file.fileno(), 8)
        words = ["gcc", "-shared", "-fPIC", f'-DCONDITIONS="{numbers}"', "-o", str(library), str(source), "-ldl"]
        subprocess.run(words, check=True)
        self.environment = {"LD_PRELOAD": str(library)}

    def set_clock(self, seconds: int) -> None:
        """So far ahead of the time, or behind it."""
        self._numbers[:4] = seconds.to_bytes(4, "little", signed=True)

    def slow(self) -> None:
        """From now on writes take their time."""
        self._numbers[4:] = SLOW_MS.to_bytes(4, "little")

    def quicken(self) -> None:
        """Writes are as fast as before."""
        self._numbers[4:] = bytes(4)


def fill(folder: Path) -> None:
    """Take all room with one file."""
    with (folder / "filler").open("wb", buffering=0) as filler:
        for piece in (bytes(65536), bytes(4096)):
            with suppress(OSError):
                while True:
                    filler.write(piece)


def free(folder: Path) -> None:
    """There is room again."""
    (folder / "filler").unlink()


@contextmanager
def small_disk(folder: Path, megabytes: int = 300) -> Iterator[bool]:
    """A small file system mounted on a folder; False where this user may not."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=False)
