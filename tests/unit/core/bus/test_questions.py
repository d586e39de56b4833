"""Questions over the bus, within one process and over Redis."""

from __future__ import annotations

import pytest

from skywatch.core.bus import Message, open_bus, request_reply
from skywatch.core.bus.request_reply import QuestionClient, QuestionServer
from tests.waiting import PATIENCE_S, until


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """An answer that is late because the machine is busy is one."""
    monkeypatch.setattr(request_reply, "WAIT_S", PATIENCE_S)


@pytest.fixture(params=["memory", "redis"])
def buses(request):
    """The buses of two processes; a memory bus has one."""
    if request.param == "memory":
        bus = open_bus("memory")
        yield bus, bus
        bus.close()
        return
    url = request.getfixturevalue("redis_url")
    pair = open_bus(url), open_bus(url)
    yield pair
    for bus in pair:
        bus.close()


def test_an_answer_belongs_to_its_question(buses):
    mine, other = buses
    server = QuestionServer(other, "test_q", lambda content: content[::-1])
    clients = [QuestionClient(mine, "test_q") for _ in range(2)]
    assert [client.ask(b"abc%d" % number) for number, client in enumerate(clients)] == [b"0cba", b"1cba"]
    server.close()
    for client in clients:
        client.close()


def test_where_nobody_answers_the_wait_ends(buses, monkeypatch):
    monkeypatch.setattr(request_reply, "WAIT_S", 0.05)
    client = QuestionClient(buses[0], "test_q")
    assert client.ask(b"abc") is None
    client.close()


def test_messages_of_another_version_are_passed_over(buses, monkeypatch, caplog):
    mine, other = buses
    server = QuestionServer(other, "test_q", lambda content: content)
    client = QuestionClient(mine, "test_q")
    other.publish(Message("test_q", "question", b"\x94\x09\xa1x\x01\xc4\x00"))
    other.publish(Message("test_q", "question", b"garbage"))
    assert client.ask(b"abc") == b"abc"
    # Of another connection than the question: it may come behind it.
    until(lambda: "cannot be answered" in caplog.text, "the fault in the log")
    server.close()
    client.close()
