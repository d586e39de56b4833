import gc
import platform
import subprocess
import sys
import weakref

import pytest

from skywatch.serving import memory

# Twelve threads allocate at once; then the heaps of the C library are counted.
_PROGRAM = """
import ctypes, re, sys, threading
from skywatch.serving.memory import limit_heaps
if sys.argv[2] == "limited":
    assert limit_heaps()
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
together = threading.Barrier(12)
def allocate():
    together.wait()
    libc.malloc(ctypes.c_size_t(10_000))
    together.wait()
threads = [threading.Thread(target=allocate) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
stream = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, stream)
libc.fclose(stream)
print(len(re.findall("<heap nr=", open(sys.argv[1]).read())))
"""


def _heaps(path, kind):
    words = [sys.executable, "-c", _PROGRAM, str(path), kind]
    return int(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_threads_share_heaps(tmp_path):
    assert _heaps(tmp_path / "limited.xml", "limited") <= memory.ARENAS < _heaps(tmp_path / "unlimited.xml", "not")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_free_memory_within_a_heap_is_returned():
    """Of many blocks every second one stays, so that nothing is free at the end of the heap."""
    program = """
import ctypes
from skywatch.serving.memory import return_free_memory
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
blocks = [libc.malloc(64_000) for _ in range(1000)]
for block in blocks:
    ctypes.memset(block, 1, 64_000)
for block in blocks[::2]:
    libc.free(block)
def resident():
    return int(open("/proc/self/statm").read().split()[1])
before = resident()
return_free_memory()
print(before - resident())
"""
    pages = int(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout)
    assert pages > 500 * 64_000 / 4096 * 0.8


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
@pytest.mark.parametrize("kind", ["limited", "not"])
def test_large_blocks_stay_out_of_the_heaps_also_after_larger_ones_were_freed(kind):
    """By itself glibc takes from the heaps whatever is smaller than the largest block that was freed."""
    program = """
import ctypes, sys
from skywatch.serving.memory import limit_heaps
if sys.argv[1] == "limited":
    assert limit_heaps()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
libc.free(libc.malloc(16_000_000))
block = libc.malloc(1_000_000)
heap = next(line for line in open("/proc/self/maps") if "[heap]" in line).split()[0]
begin, end = (int(number, 16) for number in heap.split("-"))
print(int(begin <= block < end))
"""
    words = [sys.executable, "-c", program, kind]
    is_in_heap = bool(int(subprocess.run(words, check=True, capture_output=True, text=True).stdout))
    assert is_in_heap == (kind == "not")


class Knot:
    """One half of a cycle, as requests and connections leave them."""


def test_what_requests_leave_is_collected_also_where_the_collector_seldom_runs():
    gc.collect()
    gc.disable()
    try:
        knot = Knot()
        knot.self = knot
        left = weakref.ref(knot)
        del knot
        assert left() is not None
        memory.return_free_memory()
        assert left() is None
    finally:
        gc.enable()


def test_other_libraries_are_left_alone(monkeypatch):
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    assert not memory.limit_heaps()
    memory.return_free_memory()


@pytest.mark.parametrize("was_enabled", [True, False])
def test_collection_goes_on_as_it_was_after_a_pause_whatever_happens_in_it(was_enabled):
    (gc.enable if was_enabled else gc.disable)()
    try:
        with memory.garbage_collection_paused():
            assert not gc.isenabled()
        assert gc.isenabled() == was_enabled
        with pytest.raises(ZeroDivisionError), memory.garbage_collection_paused():
            _ = 1 / 0
        assert gc.isenabled() == was_enabled
    finally:
        gc.enable()


def test_what_a_start_made_is_exempt_from_collection():
    try:
        memory.exempt_from_garbage_collection()
        assert gc.get_freeze_count() > 10_000
        assert len(gc.get_objects()) < 10_000
    finally:
        gc.unfreeze()
