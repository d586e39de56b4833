"""``skywatch init`` and ``skywatch user``: what an administrator types and reads."""

import re

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from skywatch.accounts.models import FeatureAccessSetting, Role, User
from skywatch.accounts.passwords.hashing import verify_password
from skywatch.cli import group
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.database.models import AuditEntry

PASSWORD = "a quiet night over the Jura"


@pytest.fixture
def ini(tmp_path):
    path = tmp_path / "skywatch.ini"
    path.write_text(
        "[app:main]\nuse = egg:skywatch\nenvironment = development\n"
        f"secret = {'s' * 40}\ndatabase_url = sqlite:///{tmp_path}/skywatch.sqlite\n"
    )
    return path


@pytest.fixture
def run(ini):
    def run(*arguments, stdin=None, code=0):
        words = [arguments[0], *arguments[1:]]
        result = CliRunner().invoke(group, [str(ini) if word == "INI" else word for word in words], input=stdin)
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        if code:
            assert len(result.output.strip().splitlines()) == 1
        return result.output

    return run


@pytest.fixture
def stored(ini, tmp_path):
    sessions = create_session_factory(create_engine(f"sqlite:///{tmp_path}/skywatch.sqlite"))

    def stored(query):
        with sessions() as session:
            return session.scalars(query).all()

    return stored


def test_init_installs_roles_and_access_settings_and_may_be_repeated(run, stored):
    run("init", "INI")
    assert [role.name for role in stored(sa.select(Role).order_by(Role.priority))] == [
        "viewer",
        "operator",
        "analyst",
        "admin",
        "superadmin",
    ]
    assert len(stored(sa.select(FeatureAccessSetting))) == 11
    first, second = run("init", "INI").splitlines()
    assert first == "The database is up to date."
    assert second.startswith("There is no user yet: `skywatch user add ")


def test_init_keeps_what_an_administrator_has_changed(run, stored, tmp_path):
    run("init", "INI")
    engine = create_engine(f"sqlite:///{tmp_path}/skywatch.sqlite")
    with engine.begin() as connection:
        connection.execute(sa.update(Role).where(Role.name == "viewer").values(permissions=["aircraft.view"]))
        connection.execute(sa.update(Role).where(Role.name == "superadmin").values(permissions=[]))
        connection.execute(sa.update(FeatureAccessSetting).values(read_access="public"))
    run("init", "INI")
    roles = {role.name: role.permissions for role in stored(sa.select(Role))}
    assert roles["viewer"] == ["aircraft.view"]
    assert len(roles["superadmin"]) == 35
    assert {setting.read_access for setting in stored(sa.select(FeatureAccessSetting))} == {"public"}


def test_users_are_added_listed_given_a_password_and_disabled(run, stored):
    run("init", "INI")
    added = run(
        "user", "add", "INI", "Ada", "--role", "admin", "--email", "ada@example.org", "--password-stdin", stdin=PASSWORD
    )
    assert added == "Added Ada (admin).\n"
    assert re.match(r"Ada +active +admin +- +ada@example.org", run("user", "list", "INI"))
    run("user", "set-password", "INI", "ada", "--password-stdin", stdin="nine green bottles\n")
    assert verify_password(stored(sa.select(User))[0].password_hash, "nine green bottles")
    run("user", "disable", "INI", "ADA")
    assert "disabled" in run("user", "list", "INI")
    run("user", "enable", "INI", "ada")
    entries = stored(sa.select(AuditEntry).order_by(AuditEntry.id))
    assert [entry.action for entry in entries] == ["user.created", *["user.changed"] * 3]
    assert {entry.method for entry in entries} == {"cli"}
    assert PASSWORD not in repr([(entry.before, entry.after) for entry in entries])


def test_what_is_refused_is_one_line(run):
    assert "run `skywatch init FILE.ini`" in run("user", "list", "INI", code=1)
    run("init", "INI")
    for words, stdin in (
        (("ada", "--role", "pilot"), PASSWORD),
        (("аda",), PASSWORD),  # A Cyrillic letter that looks like ours.
        (("ada", "--email", "nowhere"), PASSWORD),
        (("ada",), "password123"),
        (("ada",), ""),
    ):
        run("user", "add", "INI", *words, "--password-stdin", stdin=stdin, code=1)
    run("user", "disable", "INI", "nobody", code=1)
    run("user", "add", "INI", "root", "--role", "superadmin", "--password-stdin", stdin=PASSWORD)
    assert "last active superadmin" in run("user", "disable", "INI", "root", code=1)
    assert "already" in run("user", "add", "INI", "ROOT", "--password-stdin", stdin=PASSWORD, code=1)


@pytest.mark.parametrize(
    ("name", "options", "named"),
    [
        ("b b", [], "skywatch: NAME must have 2 to 64 letters"),
        ("bob", ["--email", "nonsense"], "skywatch: --email must be an e-mail address"),
        ("bob", ["--display-name", " "], "skywatch: --display-name must not be blank"),
    ],
)
def test_what_is_wrong_with_a_new_user_is_named(run, name, options, named):
    run("init", "INI")
    refused = run("user", "add", "INI", name, *options, "--password-stdin", stdin=f"{PASSWORD}\n", code=1)
    assert refused.startswith(named)
