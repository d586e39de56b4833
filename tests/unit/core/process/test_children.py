"""Child processes that answer: what they are asked, how they end, and who waits for the next question."""

from __future__ import annotations

import io
import os
import sys
import threading

import pytest

from skywatch.core.process.children import (
    Child,
    ChildEnded,
    ChildLate,
    ChildPool,
    FrameError,
    inherited,
    read_frame,
    write_frame,
)
from tests.processes import is_running
from tests.waiting import PATIENCE_S, until

CODE = """
import os, signal, sys
from skywatch.core.process.children import answer_questions, read_frame

OPENING = read_frame(sys.stdin.buffer) if len(sys.argv) > 1 else b""

def answer(question):
    if question == b"who":
        return str(os.getpid()).encode()
    if question == b"opening":
        return OPENING
    if question == b"hang":
        signal.pause()
    if question == b"exit":
        os._exit(3)
    if question == b"kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if question == b"print":
        print("not an answer", flush=True)
    return question * 2

answer_questions(answer)
"""
COMMAND = (sys.executable, "-c", CODE)


def start(*arguments, **kw):
    return Child((*COMMAND, *arguments), inherited(["PATH", "PYTHONPATH"]), **kw)


@pytest.fixture
def child():
    child = start()
    yield child
    child.close()


def test_frames_keep_what_was_written_and_end_with_their_stream():
    stream = io.BytesIO()
    for data in (b"", b"one", bytes(range(256)) * 999):
        write_frame(stream, data)
    stream.seek(0)
    assert [read_frame(stream) for _ in range(4)] == [b"", b"one", bytes(range(256)) * 999, None]
    assert read_frame(io.BytesIO(b"\0" * 7)) is None
    assert read_frame(io.BytesIO(b"\0" * 7 + b"\2x")) is None
    with pytest.raises(FrameError):
        read_frame(io.BytesIO(b"\xff" * 8), max_bytes=1 << 20)


def test_a_child_answers_one_question_after_the_other_whatever_it_prints(child):
    assert [child.ask(question, PATIENCE_S) for question in (b"a", b"print", b"c")] == [b"aa", b"printprint", b"cc"]


def test_an_opening_is_told_once():
    child = start("opening", opening=b"the place")
    assert (child.ask(b"opening"), child.ask(b"a")) == (b"the place", b"aa")
    child.close()


@pytest.mark.parametrize(("question", "how"), [(b"exit", "exit code 3"), (b"kill", "SIGKILL")])
def test_a_child_that_ends_says_how(child, question, how):
    with pytest.raises(ChildEnded, match=how):
        child.ask(question, PATIENCE_S)
    assert not child.is_alive
    with pytest.raises(ChildEnded):
        child.ask(b"a", PATIENCE_S)


def test_one_that_does_not_answer_in_time_is_ended(child):
    child.ask(b"a", PATIENCE_S)
    with pytest.raises(ChildLate):
        child.ask(b"hang", 0.2)
    assert not child.is_alive


def test_another_thread_can_end_it(child):
    child.ask(b"a", PATIENCE_S)
    threading.Timer(0.1, child.kill).start()
    with pytest.raises(ChildEnded, match="SIGKILL"):
        child.ask(b"hang")


def test_a_long_answer_is_not_read():
    child = start(max_answer=100)
    assert len(child.ask(b"x" * 50, PATIENCE_S)) == 100
    with pytest.raises(ChildEnded, match="too long"):
        child.ask(b"x" * 51, PATIENCE_S)
    child.close()


@pytest.fixture
def pool():
    pools = []

    def make(**kw):
        pools.append(ChildPool(start, **kw))
        return pools[-1]

    yield make
    for one in pools:
        one.close()


def who(pool):
    with pool.lend() as child:
        return int(child.ask(b"who", PATIENCE_S))


def test_a_child_of_a_pool_is_asked_again_until_it_fails(pool):
    children = pool()
    first = who(children)
    assert who(children) == first
    with pytest.raises(ChildEnded), children.lend() as child:
        child.ask(b"exit", PATIENCE_S)
    assert who(children) != first


def test_one_that_was_closed_or_has_ended_while_it_waited_is_replaced(pool):
    children = pool()
    with children.lend() as child:
        closed = int(child.ask(b"who", PATIENCE_S))
        child.close()
    second = who(children)
    os.kill(second, 9)
    os.waitid(os.P_PID, second, os.WEXITED | os.WNOWAIT)
    third = who(children)
    assert len({closed, second, third}) == 3


def test_those_that_nobody_asks_end(pool):
    children = pool(idle_s=0.2)
    first = who(children)
    until(lambda: not is_running(first))


def test_a_closed_pool_keeps_none(pool):
    children = pool()
    waits = who(children)
    with children.lend() as busy:
        pid = int(busy.ask(b"who", PATIENCE_S))
        children.close()
    assert not is_running(waits)
    assert not is_running(pid)
