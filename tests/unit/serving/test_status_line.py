"""The status line is written to any terminal, and never ends with a fault."""

from __future__ import annotations

import io
import sys
import threading
from typing import Any

import pytest

from skywatch.serving import status_line
from skywatch.serving.status_line import StatusLine, write
from tests.waiting import until


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("utf-8", "12 aircraft · 3 messages/s · Zürich"),
        ("latin-1", "12 aircraft · 3 messages/s · Zürich"),
        ("ascii", "12 aircraft - 3 messages/s - Z\\xfcrich"),
    ],
)
def test_what_a_terminal_cannot_show_is_written_otherwise(
    monkeypatch: pytest.MonkeyPatch, encoding: str, expected: str
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    write("12 aircraft · 3 messages/s · Zürich")
    assert raw.getvalue().decode(encoding) == expected


def test_an_output_that_has_gone_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.TextIOWrapper):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Gone(io.BytesIO(), encoding="utf-8"))
    write("text")


def test_a_bus_that_fails_does_not_end_the_thread(
    monkeypatch: pytest.MonkeyPatch, runtime: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = iter([RuntimeError("the bus does not answer"), "5 aircraft", "6 aircraft"])

    def describe(_: Any) -> str:
        value = next(calls, "7 aircraft")
        if isinstance(value, Exception):
            raise value
        return value

    monkeypatch.setattr(status_line, "describe", describe)
    monkeypatch.setattr(status_line, "FIRST_PLAIN_S", 0.01)
    monkeypatch.setattr(status_line, "PLAIN_EVERY_S", 0.01)
    printed = ""
    with StatusLine(runtime, ["Skywatch is running."]):

        def is_printed() -> bool:
            nonlocal printed
            printed += capsys.readouterr().out
            return "6 aircraft" in printed

        until(is_printed)
    assert "the state is unavailable: the bus does not answer\n5 aircraft\n" in printed
    until(lambda: "status-line" not in {thread.name for thread in threading.enumerate()}, "the end of the thread")
