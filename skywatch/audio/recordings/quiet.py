"""Keeps what libmpg123 prints of a damaged MP3 off the log: a line for every bad frame, without name or reason.

libsndfile gives no way to switch that off. libmpg123 writes to the C library's ``stderr``, which Python does not use:
while recordings are decoded, that variable points to a stream that goes nowhere. Where the C library has no such
variable (it is glibc's), the lines are printed.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import threading
from collections.abc import Iterator
from typing import Any

_lock = threading.Lock()
_users = 0
_original: int | None = None


@contextlib.contextmanager
def quiet_decoder() -> Iterator[None]:
    """While any thread is within, libraries in C print nothing to ``stderr``."""
    global _users, _original
    streams = _streams()
    if streams is None:
        yield
        return
    variable, nowhere = streams
    with _lock:
        _users += 1
        if _users == 1:
            _original, variable.value = variable.value, nowhere
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                variable.value = _original


@functools.cache
def _streams() -> tuple[Any, int] | None:
    """The variable ``stderr`` of the C library, and a stream to /dev/null."""
    try:
        library = ctypes.CDLL(None)
        variable = ctypes.c_void_p.in_dll(library, "stderr")
        library.fopen.restype = ctypes.c_void_p
        nowhere = library.fopen(os.devnull.encode(), b"we")
    except (OSError, ValueError, AttributeError):
        return None
    return (variable, nowhere) if variable.value and nowhere else None
