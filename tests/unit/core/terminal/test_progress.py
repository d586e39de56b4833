"""The line that says how far a file is read."""

from __future__ import annotations

import io

import pytest

from skywatch.core.terminal import progress
from skywatch.core.terminal.progress import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(200))
    return str(path)


def test_a_terminal_shows_the_share_and_nothing_stays(file, monkeypatch):
    monkeypatch.setattr(progress, "EVERY_S", 0)
    terminal = Terminal()
    with ProgressLine(file, terminal) as line:
        line.show(50, "3 flights")
        line.show(500, "4 flights")
    assert terminal.getvalue() == (
        "\r\x1b[K[#####---------------] 25 %  3 flights\r\x1b[K[####################] 100 %  4 flights\r\x1b[K"
    )


def test_it_is_not_rewritten_more_often_than_eyes_follow(file, monkeypatch):
    monkeypatch.setattr(progress, "EVERY_S", 3600)
    terminal = Terminal()
    with ProgressLine(file, terminal) as line:
        for position in range(100):
            line.show(position, "x")
    assert terminal.getvalue().count("x") == 1


def test_standard_input_has_no_share_and_a_file_of_errors_gets_nothing(file):
    terminal, plain = Terminal(), io.StringIO()
    ProgressLine("-", terminal).show(10, "1 flight")
    assert terminal.getvalue() == "\r\x1b[K1 flight"
    with ProgressLine(file, plain) as line:
        line.show(10, "1 flight")
    assert plain.getvalue() == ""
