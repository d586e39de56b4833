"""``skywatch deliveries``: how channels do, without addresses and secrets."""

import pytest
from click.testing import CliRunner

from skywatch.cli import group
from tests.notifying import add_channel, add_user, notification, send


@pytest.fixture
def show(make_runtime, tmp_path, database_url):
    runtime = make_runtime(database_url=database_url)
    ini = tmp_path / "skywatch.ini"
    ini.write_text(
        "[app:main]\nuse = egg:skywatch\nenvironment = development\n"
        f"database_url = {runtime.engine.url.render_as_string(hide_password=False)}\n"
    )

    def show(*arguments):
        done = CliRunner().invoke(group, ["deliveries", str(ini), *arguments])
        assert done.exit_code == 0, done.output
        return done.output

    show.sessions = runtime.sessions
    return show


def test_an_installation_without_channels_says_so(show):
    assert show() == "There are no channels.\n"
    assert show("--state", "dead") == "There are no dead deliveries.\n"


def test_channels_and_deliveries_are_shown_without_addresses(show):
    user = add_user(show.sessions)
    on = add_channel(show.sessions, user, "https://example.org/secret", name="phone\x1b[2J")
    broken = add_channel(show.sessions, user, state="disabled", last_error="The receiver answered with status 410.")
    send(show.sessions, notification(user, on, broken))
    text = show()
    assert not [hidden for hidden in ("secret", "whsec_", "\x1b") if hidden in text]
    lines = [line.split() for line in text.splitlines()]
    assert lines[1][:7] == [str(on), "phone?[2J", str(user), "webhook", "healthy", "1", "0"]
    assert lines[2][:7] == [str(broken), "test", str(user), "webhook", "disabled", "0", "1"]
    assert "status 410" in text
    dead = show("--state", "dead")
    assert "The channel is disabled." in dead
    assert len(dead.splitlines()) == 2
    assert show("--state", "dead", "--channel", str(on)) == "There are no dead deliveries.\n"
