"""Settings of the C library's allocator and of Python's garbage collection."""

from __future__ import annotations

import ctypes
import gc
import platform
from collections.abc import Iterator
from contextlib import contextmanager

# Of glibc's malloc.h.
_M_ARENA_MAX = -8
_M_MMAP_THRESHOLD = -3
ARENAS = 2
# Above the columns of a full sky (15,000 aircraft of 8 bytes), below encoded pictures and answers.
MAPPED_FROM_BYTES = 256 * 1024
# How often memory that is free is returned to the system (s).
RETURN_EVERY_S = 60.0


def limit_heaps(arenas: int = ARENAS) -> bool:
    """Let all threads share so many heaps of glibc, without large blocks; returns whether the C library accepted it.

    By default glibc opens a heap for each thread, up to eight per core, and returns free memory to the system only from
    a heap's end. Long answers that pass from the threads of the API to the loop leave a hole in each of them. Python
    allocates small objects elsewhere, so threads rarely wait for each other here.

    glibc takes larger and larger blocks from the heaps once one was freed, up to 32 MB. Pictures of megabytes, made
    and freed each second among what stays, left half of the heaps of a full sky free and not returned.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    library = ctypes.CDLL(None)
    return bool(library.mallopt(_M_ARENA_MAX, arenas) and library.mallopt(_M_MMAP_THRESHOLD, MAPPED_FROM_BYTES))


def return_free_memory() -> None:
    """Return to the system what is free within the heaps of glibc; a start leaves 7 MB of it, busy minutes more.

    By itself glibc returns only what lies at the end of a heap. Requests and connections leave cycles (Pyramid makes a
    class for each request, Autobahn futures for each connection), and the collector of a process with a tracker seldom
    runs by itself.
    """
    gc.collect(1)
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
