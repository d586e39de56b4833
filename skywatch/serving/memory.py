"""Settings of the C library's allocator and of Python's garbage collection."""

from __future__ import annotations

import ctypes
import gc
import platform
from collections.abc import Iterator
from contextlib import contextmanager

# Of glibc's malloc.h.
_M_ARENA_MAX = -8
ARENAS = 2
# How often memory that is free is returned to the system (s).
RETURN_EVERY_S = 60.0


def limit_arenas(arenas: int = ARENAS) -> bool:
    """Let all threads share so many heaps of glibc; returns whether the C library accepted it.

    By default glibc opens a heap for each thread, up to eight per core, and returns free memory to the system only from
    a heap's end. Long answers that pass from the threads of the API to the loop leave a hole in each of them. Python
    allocates small objects elsewhere, so threads rarely wait for each other here.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    return bool(ctypes.CDLL(None).mallopt(_M_ARENA_MAX, arenas))


def return_free_memory() -> None:
    """Return to the system what is free within the heaps of glibc; a start leaves 7 MB of it, busy minutes more.

    By itself glibc returns only what lies at the end of a heap.
    """
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Make what stays for as long as the process runs.

    Modules and the application are some 400,000 objects and hardly any garbage: the collector looked through them again
    and again, for a sixth of the processor time of a start.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def exempt_from_garbage_collection() -> None:
    """Never look again at the objects that exist now, which stay for as long as the process runs."""
    gc.freeze()
