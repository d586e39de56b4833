"""What a host can suffer from while its processes run: a full disk, a slow one, and a clock that is off."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.drills.causes import Clock, fill, find_faketime, small_disk

# Of PostgreSQL: what a database of a drill needs, several times.
DISK_MB = 600
# As long as this each write and flush of a slow disk takes: some hundred times what a good one needs.
SLOW_MS = 100
# Writes wait while a file of this name is there. A library, for a kernel that cannot make a device slow.
SLOW_WRITES = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static void wait_if_slow(void) {
    if (access(SLOW_WHILE, F_OK) == 0) usleep(SLOW_MS * 1000);
}
#define SLOW(type, name, given, passed) \\
    type name given { \\
        static type (*real) given; \\
        if (!real) real = dlsym(RTLD_NEXT, #name); \\
        wait_if_slow(); \\
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
    found = ["gcc"] if shutil.which("gcc") is None else []
    return found if find_faketime() else [*found, "Debian's package faketime"]


class Conditions:
    """Of one host: ``environment`` is for the processes that its clock and its disk are those of."""

    def __init__(self, folder: Path) -> None:
        self.disk = folder / "postgresql"
        self._slow = folder / "slow"
        faketime = find_faketime()
        assert faketime is not None, "faketime is not installed"
        self._clock = Clock(faketime, folder / "clock")
        source, library = folder / "slow.c", folder / "slow.so"
        source.write_text(SLOW_WRITES)
        given = [f'-DSLOW_WHILE="{self._slow}"', f"-DSLOW_MS={SLOW_MS}"]
        subprocess.run(["gcc", "-shared", "-fPIC", *given, "-o", library, source, "-ldl"], check=True)
        variables = self._clock.environment
        self.environment = {**variables, "LD_PRELOAD": f"{library} {variables['LD_PRELOAD']}"}

    @classmethod
    @contextmanager
    def of(cls, folder: Path) -> Iterator[Conditions]:
        """While a small disk is mounted where PostgreSQL has its files."""
        conditions = cls(folder)
        conditions.disk.mkdir()
        with small_disk(conditions.disk, DISK_MB) as is_mounted:
            assert is_mounted, "a disk cannot be mounted"
            yield conditions

    def set_clock(self, seconds: int) -> None:
        """So far ahead of the time, or behind it."""
        self._clock.set(f"{seconds:+d}s")

    def slow(self) -> None:
        """From now on writes take their time."""
        self._slow.touch()

    def quicken(self) -> None:
        """Writes are as fast as before."""
        self._slow.unlink()

    def fill(self) -> None:
        """No byte more can be written."""
        fill(self.disk)

    def free(self) -> None:
        """There is room again."""
        (self.disk / "filler").unlink()
