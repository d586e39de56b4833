"""``skywatch completion``: what a shell offers, asked through click and tried in bash itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from skywatch.cli import COMMANDS, group
from skywatch.cli.completion import VARIABLE
from skywatch.features import FEATURES
from tests.servers import skip_or_fail
from tests.waiting import PATIENCE_S

BASH = """
compopt() { printf '%s %s\\n' "$@"; }
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _skywatch_completion skywatch
printf '%s\\n' "${COMPREPLY[@]}"
"""


def offered(*words: str) -> set[str]:
    """What follows the words; the last one is the beginning of a word."""
    completer = ShellComplete(group, {}, "skywatch", VARIABLE)
    items = completer.get_completions(list(words[:-1]), words[-1])
    return {item.type if item.type != "plain" else item.value for item in items}


def test_commands_options_values_and_files_are_offered():
    assert offered("") == {*COMMANDS, *FEATURES.commands}
    assert offered("ra") == {"radar"}
    assert offered("user", "") == {"add", "disable", "enable", "list", "set-password"}
    assert {"--role", "--email", "--password-stdin"} <= offered("user", "add", "--")
    assert offered("serve", "--role", "") == {"api", "tracker", "realtime", "worker", "ingest"}
    assert offered("decode", "--format", "b") == {"beast"}


@pytest.mark.parametrize("command", ["serve", "decode", "safety"])
def test_files_are_offered_for_a_file(command):
    assert offered(command, "s") == {"file"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_is_printed(shell):
    done = CliRunner().invoke(group, ["completion", shell])
    assert done.exit_code == 0, done.output
    assert f"{VARIABLE}={shell}_complete" in done.output


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize(("words", "expected"), [(("us",), ["user"]), (("serve", "s"), ["-o default", ""])])
def test_bash_offers_what_the_program_names(tmp_path, words, expected):
    if shutil.which("bash") is None:
        skip_or_fail("bash")
    script = tmp_path / "bash"
    script.write_text(CliRunner().invoke(group, ["completion", "bash"]).stdout)
    program = tmp_path / "skywatch"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m skywatch "$@"\n')
    program.chmod(0o755)
    command = ["bash", "-c", BASH, "bash", str(script), "skywatch", *words]
    environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(command, capture_output=True, text=True, env=environ, timeout=PATIENCE_S, check=True)
    assert (done.stdout.splitlines(), done.stderr) == (expected, "")


def test_another_shell_is_refused():
    done = CliRunner().invoke(group, ["completion", "tcsh"])
    assert done.exit_code == 2


def test_every_command_is_in_the_manual():
    text = (Path(__file__).parents[3] / "docs/first-steps.md").read_text(encoding="utf-8")
    assert [name for name in {*COMMANDS, *FEATURES.commands} if f"`skywatch {name}" not in text] == []
