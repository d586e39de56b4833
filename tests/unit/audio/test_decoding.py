"""Decoding in child processes: what a file does to a decoder happens to that file only."""

from __future__ import annotations

import logging
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import msgspec
import numpy as np
import pytest

from skywatch.audio.recordings import decoder
from skywatch.audio.recordings.decoder import DecoderPool, has_voice, measure
from skywatch.core.problems import Problem
from tests.audio import sound
from tests.processes import is_running
from tests.waiting import PATIENCE_S, until

# A child whose jobs do what files may make a decoder do.
ILL = """
import ctypes, os, time
from skywatch.audio.recordings import child

def job(path):
    name = path.name
    if name == "crash":
        ctypes.string_at(0)
    if name == "memory":
        return len(bytearray(4 * child.MEMORY_BYTES))
    if name == "write":
        path.write_bytes(b"x" * 100)
    while name == "loop":
        pass
    if name == "sleep":
        time.sleep(3600)
    if name == "print":
        os.write(1, b"rubbish")
        print("rubbish", flush=True)
    return os.getpid()

child.JOBS["job"] = job
child.CPU_S = 1
child.main()
"""


@pytest.fixture
def pool():
    pools = []

    def make(**kw):
        pools.append(DecoderPool((sys.executable, "-I", "-c", ILL), **kw))
        return pools[-1]

    yield make
    for one in pools:
        one.close()


def ask(pool, path, person=""):
    return msgspec.json.decode(pool.ask("job", path, person))


def test_one_child_serves_one_file_after_the_other(pool, tmp_path):
    children = pool()
    pids = {ask(children, tmp_path / name) for name in ("a", "b", "print")}
    assert len(pids) == 1
    assert os.getpid() not in pids


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize(
    ("name", "logged"),
    [("crash", "SIGSEGV"), ("memory", "MemoryError"), ("loop", "SIGXCPU"), ("sleep", "did not answer in time")],
)
def test_a_file_that_harms_the_decoder_is_refused_and_others_are_not(pool, tmp_path, caplog, name, logged):
    children = pool(longest_s=20.0 if name == "sleep" else PATIENCE_S)
    ask(children, tmp_path / "a")
    with caplog.at_level(logging.WARNING), pytest.raises(Problem) as caught:
        children.ask("job", tmp_path / name)
    assert (caught.value.kind.status, caught.value.detail) == (415, "The file cannot be decoded.")
    assert logged in caplog.text
    assert f"{name} is refused" in caplog.text
    assert ask(children, tmp_path / "b")


def test_a_child_writes_no_files(pool, tmp_path):
    with pytest.raises((OSError, Problem)):
        pool().ask("job", tmp_path / "write")
    assert not (tmp_path / "write").exists() or (tmp_path / "write").stat().st_size == 0


def test_an_idle_child_ends_and_another_one_takes_its_place(pool, tmp_path):
    children = pool(idle_s=0.2)
    first = ask(children, tmp_path / "a")
    until(lambda: not is_running(first))
    assert ask(children, tmp_path / "b") != first


def test_a_child_that_cannot_be_started_is_no_fault_of_the_file(tmp_path):
    with pytest.raises(Problem) as caught:
        DecoderPool(("/no/such/program",)).ask("measure", tmp_path / "a")
    assert caught.value.kind.status == 503


def test_a_child_gets_no_secret_of_the_service(monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET", "x" * 40)
    code = ILL.replace("return os.getpid()", "return sorted(os.environ)")
    pool = DecoderPool((sys.executable, "-I", "-c", code))
    assert set(ask(pool, tmp_path / "a")) <= {*decoder.ENVIRONMENT, "PATH", "LC_CTYPE"}
    pool.close()


def test_several_threads_share_the_children(pool, tmp_path):
    children, answers = pool(), []
    threads = [
        threading.Thread(target=lambda number=number: answers.append(ask(children, tmp_path / str(number))))
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert len(answers) == 8
    assert len(set(answers)) <= decoder.MAX_CHILDREN


def test_a_damaged_mp3_is_measured_and_leaves_no_lines_on_stderr(tmp_path, capfd):
    data = np.frombuffer(sound(4.0, kind="MP3"), "u1").copy()
    random = np.random.default_rng(1)
    data[random.integers(1000, len(data), 60)] ^= 0xFF
    path = tmp_path / "a.mp3"
    path.write_bytes(data.tobytes())
    assert measure(path).duration_s > 0
    assert has_voice(path) is False
    assert capfd.readouterr().err == ""


def test_what_is_wrong_with_a_file_is_told_as_in_this_process(tmp_path):
    path = tmp_path / "a.wav"
    path.write_bytes(b"RIFF\0\0\0\0WAVE rubbish")
    with pytest.raises(Problem) as caught:
        measure(path)
    assert (caught.value.kind.status, caught.value.detail) == (415, "The file cannot be decoded as WAV.")
    with pytest.raises(FileNotFoundError):
        measure(tmp_path / "none.wav")


def test_recordings_of_one_person_leave_the_next_child_to_another(pool, tmp_path, monkeypatch):
    monkeypatch.setattr(decoder, "MAX_CHILDREN", 1)
    children = pool()
    order = []

    def decode(person):
        ask(children, tmp_path / "a", person)
        order.append(person)

    running = children._limiter.enter("user 1")
    with ThreadPoolExecutor(5) as threads:
        for number, person in enumerate(["user 1"] * 4 + ["user 2"]):
            threads.submit(decode, person)
            until(lambda number=number: children._limiter.waiting == number + 1)
        children._limiter.leave(running)
    # Whoever ends first may be the second to say so.
    assert order.index("user 2") <= 1
