"""``skywatch acars FILE``."""

import json

import pytest
from click.testing import CliRunner

from skywatch.acars.command import acars

BURST = {
    "timestamp": 1767225600.5, "station_id": "NORTH", "freq": 131.55, "level": -18.4, "mode": "2", "label": "QA",
    "block_id": "1", "tail": "N123AB", "flight": "AB0123", "msgno": "M01A", "text": "KSEAKJFK1201",
    "app": {"name": "acarsdec", "ver": "4.1"},
}  # fmt: skip


def test_it_prints_a_line_for_each_message_and_a_summary(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({**BURST, "station_id": name}) + "\n" for name in ("NORTH", "SOUTH")))
    shown = CliRunner().invoke(acars, [str(path)])
    assert shown.exit_code == 0
    (line,) = shown.stdout.splitlines()
    assert json.loads(line)["stations"] == 2
    assert "1 messages, 1 received by more stations" in shown.stderr


@pytest.mark.parametrize(("content", "why"), [(None, "No such file"), ("nothing\n", "contains no ACARS message")])
def test_what_cannot_be_read_is_one_line_with_exit_code_1(tmp_path, content, why):
    path = tmp_path / "a.jsonl"
    if content is not None:
        path.write_text(content)
    shown = CliRunner().invoke(acars, [str(path)])
    assert shown.exit_code == 1
    assert shown.stdout == ""
    assert shown.stderr.splitlines()[-1].startswith(f"skywatch: {path}: ")
    assert why in shown.stderr
