"""``skywatch setup-link`` and ``init --first-administrator``: who is shown the one-time password, and how often."""

import re

import pytest
from click.testing import CliRunner

from skywatch.cli import group
from skywatch.cli.setup_link import page_address

PASSWORD = "a quiet night over the Jura"
LINK = re.compile(r"http\S+/#/setup\?token=(\S+)")


@pytest.fixture
def ini(tmp_path):
    path = tmp_path / "skywatch.ini"
    path.write_text(
        "[app:main]\nuse = egg:skywatch\nenvironment = production\nlisten = 0.0.0.0:7000\n"
        f"secret = {'s' * 40}\ndatabase_url = sqlite:///{tmp_path}/skywatch.sqlite\n"
    )
    return path


@pytest.fixture
def run(ini):
    def run(command, *options, stdin=None, code=0):
        result = CliRunner().invoke(group, [*command.split(), str(ini), *options], input=stdin)
        assert result.exit_code == code, result.output
        return result.output

    return run


@pytest.fixture
def terminal(monkeypatch):
    """What the command writes goes to a terminal."""
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda self: True, raising=False)


@pytest.mark.usefixtures("terminal")
def test_on_a_terminal_init_shows_the_password_once_with_a_link_that_carries_it(run):
    shown = run("init", "--first-administrator")
    password = LINK.search(shown).group(1)
    assert f"http://127.0.0.1:7000/#/setup?token={password}" in shown
    assert f"one-time password {password}" in shown
    again = run("init", "--first-administrator")
    assert password not in again
    assert "skywatch setup-link" in again
    assert "token=" not in again


def test_elsewhere_init_shows_no_password_but_says_how_the_first_administrator_is_made(run):
    run("init")
    first, second = run("init", "--first-administrator").splitlines()
    assert first == "The database is up to date."
    assert second.startswith("There is no user yet: `skywatch user add ")
    assert LINK.search(second) is None


def test_each_link_is_another_one_until_there_is_a_user(run):
    assert "run `skywatch init FILE.ini`" in run("setup-link", code=1)
    run("init")
    first, second = (LINK.search(run("setup-link")).group(1) for _ in range(2))
    assert first != second
    run("user add", "ada", "--password-stdin", stdin=PASSWORD)
    refused = run("setup-link", code=1)
    assert refused.startswith("skywatch: There is a user already")
    assert len(refused.strip().splitlines()) == 1


def test_the_link_has_the_public_address(run, ini):
    run("init")
    text = ini.read_text()
    ini.write_text(text + "base_url = https://sky.example.org/radar/\n")
    shown = run("setup-link")
    assert "https://sky.example.org/radar/#/setup?token=" in shown
    assert "on this machine: http://127.0.0.1:7000/console/setup " in shown
    # Behind a proxy on this machine nobody counts as local.
    ini.write_text(text + "trusted_proxy = 127.0.0.1 ::1\n")
    assert "on this machine" not in run("setup-link")
    ini.write_text(text + "web_enabled = false\n")
    shown = run("setup-link")
    assert "/console/setup" in shown
    assert "#" not in shown
    ini.write_text(text + "web_enabled = false\ntrusted_proxy = 127.0.0.1\n")
    assert "skywatch user add" in run("setup-link")
    ini.write_text(text + "local_auth_enabled = false\n")
    assert "local_auth_enabled" in run("setup-link", code=1)


@pytest.mark.parametrize(
    ("listen", "page"),
    [
        ("127.0.0.1:6543", "http://127.0.0.1:6543/"),
        ("0.0.0.0:80", "http://127.0.0.1:80/"),
        ("[::1]:6543", "http://[::1]:6543/"),
        ("[::]:6543", "http://127.0.0.1:6543/"),
        ("sky.example.org:8080", "http://sky.example.org:8080/"),
    ],
)
def test_the_page_is_one_that_a_browser_can_open(listen, page):
    assert page_address(listen) == page
