"""Files that only the user of the service may read and write (mode 0600), whatever the umask of the process.

They hold what the service's own checks of rights protect: tokens, positions of people, recordings.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

MODE = 0o600
# What gives others of the machine anything.
OTHERS = 0o077


def private_opener(path: str, flags: int) -> int:
    """An ``opener`` of ``open()``: a file that it creates has the mode 0600; one that is there keeps its own."""
    existed = os.path.lexists(path)
    descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), MODE)
    if not existed:
        set_private(descriptor)
    return descriptor


def set_private(descriptor: int) -> None:
    """Give an open file of this user the mode 0600."""
    if hasattr(os, "fchmod"):  # Not on Windows.
        os.fchmod(descriptor, MODE)


def create_private(path: Path) -> None:
    """Create an empty file with the mode 0600 unless it is there; raises OSError."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
    try:
        os.close(private_opener(os.fspath(path), flags))
    except FileExistsError:
        return


def wider(paths: Iterable[Path]) -> Iterator[Path]:
    """The files that other users of this machine may read or write."""
    for path in paths:
        try:
            mode = path.stat().st_mode
        except OSError:
            continue
        if stat.S_ISREG(mode) and mode & OTHERS:
            yield path
