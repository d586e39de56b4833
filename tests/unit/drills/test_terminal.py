"""What a drill answers on the terminal of a script, and what it takes for a failure."""

import subprocess

import pytest

from tests.drills import debian
from tests.drills.debian import SHOWN, Failed, on_a_terminal


def run(text, tmp_path):
    return on_a_terminal(["bash", "-ec", SHOWN + text], "between us", ["env"], tmp_path / "page.png")


def test_a_password_is_given_to_whoever_asks(tmp_path):
    asking = "read -rsp 'Password: ' one; read -rsp 'Repeat for confirmation: ' two; "
    output = run(f"{asking} test \"$one, $two\" = 'between us, between us'", tmp_path)
    assert "Password: " in output
    with pytest.raises(Failed, match="exit code 3"):
        run("exit 3", tmp_path)


@pytest.mark.parametrize(("user", "words"), [("ada", ["--user", "ada"]), ("", [])])
def test_an_address_is_opened_in_the_browser_inside(tmp_path, monkeypatch, user, words):
    commands = []

    def browse(command, *, input, text, check):
        commands.append(command)
        assert input == "between us\n"
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(debian.subprocess, "run", browse)
    run(f"shown http://127.0.0.1:6543/ {user}", tmp_path)
    (command,) = commands
    assert command[0] == "env"
    picture = str(tmp_path / "page.png")
    assert command[3:] == ["tests.drills.browser", "http://127.0.0.1:6543/", "--picture", picture, *words]


def test_a_page_without_aircraft_fails_the_script(tmp_path, monkeypatch):
    monkeypatch.setattr(debian.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1))
    with pytest.raises(Failed, match="exit code 1"):
        run("shown http://127.0.0.1:6543/", tmp_path)
