"""``skywatch completion``: what a shell offers, tried in the shells themselves."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from skywatch.cli import COMMANDS, group
from skywatch.features import FEATURES
from tests.waiting import PATIENCE_S

BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _skywatch
printf '%s\\n' "${COMPREPLY[@]}"
"""
# What zsh's own functions would offer is printed instead.
ZSH = """
_describe() { local entry; for entry in ${(P)2}; do print -r -- ${${entry//\\\\:/;}%%:*}; done }
_files() { print -rl -- *(N) }
source "$1"; shift
words=("$@"); CURRENT=$#; _skywatch
"""
FISH = 'source "$argv[1]"; complete -C "$argv[2]" | string replace -r "\\t.*" ""'


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("completion")
    for shell in ("bash", "zsh", "fish"):
        done = CliRunner().invoke(group, ["completion", shell])
        assert done.exit_code == 0, done.output
        (folder / shell).write_text(done.output)
    return folder


@pytest.fixture(params=["bash", "zsh", "fish"])
def offered(request, scripts, tmp_path):
    """What a shell offers for the last of some words."""
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    (tmp_path / "sky.ini").touch()

    def offer(*words: str) -> set[str]:
        script = str(scripts / shell)
        command = {
            "bash": ["bash", "-c", BASH, "bash", script, *words],
            "zsh": ["zsh", "-f", "-c", ZSH, "zsh", script, *words],
            "fish": ["fish", "--no-config", "-c", FISH, script, " ".join(words)],
        }[shell]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE_S, check=False)
        assert done.stderr == ""
        # zsh picks out what begins with the last word after it was offered.
        return {line for line in done.stdout.splitlines() if line.startswith(words[-1])}

    return offer


def test_commands_options_values_and_files_are_offered(offered):
    assert offered("skywatch", "") == {*COMMANDS, *FEATURES.commands}
    assert offered("skywatch", "ra") == {"radar"}
    assert offered("skywatch", "user", "") == {"add", "disable", "enable", "list", "set-password"}
    assert {"--role", "--email", "--password-stdin"} <= offered("skywatch", "user", "add", "--")
    assert offered("skywatch", "serve", "--role", "") == {"api", "tracker", "realtime", "worker"}
    assert offered("skywatch", "serve", "s") == {"sky.ini"}
    assert offered("skywatch", "decode", "--format", "b") == {"beast"}


def test_bash_takes_files_alone_for_files(scripts, tmp_path):
    """Else a command whose name a folder has as well is completed with a slash."""
    script = 'compopt() { printf "%s\\n" "$*"; }\n' + BASH + "complete -p skywatch"

    def run(*words: str) -> list[str]:
        command = ["bash", "-c", script, "bash", str(scripts / "bash"), *words]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE_S, check=True)
        return done.stdout.splitlines()

    (tmp_path / "history").mkdir()
    assert run("skywatch", "hist") == ["history", "complete -F _skywatch skywatch"]
    assert run("skywatch", "serve", "hist") == ["-o filenames", "history", "complete -F _skywatch skywatch"]


def test_another_shell_is_refused():
    done = CliRunner().invoke(group, ["completion", "tcsh"])
    assert done.exit_code == 2


def test_every_command_is_in_the_manual():
    text = (Path(__file__).parents[3] / "docs/first-steps.md").read_text(encoding="utf-8")
    missing = [name for name in {*COMMANDS, *FEATURES.commands} if f"`skywatch {name}" not in text]
    # Described on the pages of their features.
    assert set(missing) <= {"acars", "audio", "deliveries", "rules", "safety"}
