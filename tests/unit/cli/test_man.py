"""``skywatch man``: every command and option, in roff that man can read."""

from __future__ import annotations

import re
import shutil
import subprocess

import click
import pytest
from click.testing import CliRunner

from skywatch.cli import group
from skywatch.cli.man import entries, page
from tests.servers import skip_or_fail
from tests.waiting import PATIENCE_S


@pytest.fixture(scope="module")
def text():
    done = CliRunner().invoke(group, ["man"])
    assert done.exit_code == 0, done.output
    return done.output


def test_every_command_and_option_is_described(text):
    plain = text.replace("\\-", "-")
    found = list(entries(group))
    assert len(found) > 25
    for entry in found[1:]:
        assert f'.SS "{" ".join(("skywatch", *entry.path))}"' in plain
        for option in entry.options:
            assert f".B {option.form}" in plain
    assert "--max-range-nm FLOAT" in plain
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "ENVIRONMENT", "EXIT STATUS"):
        assert f".SH {section}\n" in text


def test_text_is_no_request_of_roff(text):
    requests = {line.split()[0] for line in text.splitlines() if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".SS", ".TP", ".B", ".PP"}
    awkward = click.Command("odd", help=".so /etc/passwd\n\n'quoted' and back\\slash")
    lines = page([*entries(click.Group("g")), *entries(awkward, ("odd",))]).splitlines()
    assert "\\&.so /etc/passwd" in lines
    assert "\\&'quoted' and back\\eslash" in lines


def test_man_reads_it_without_a_complaint(text):
    program = shutil.which("groff")
    if program is None:
        skip_or_fail("groff")
    command = [program, "-man", "-Tutf8", "-ww", "-Kutf8"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    # Bold letters are printed twice.
    shown = re.sub(r"\x1b\[[\d;]*m|.\x08", "", done.stdout)
    assert "skywatch user add" in shown
