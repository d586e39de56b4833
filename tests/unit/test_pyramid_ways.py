"""Pyramid's own ways: the application factory on an empty database, ``alembic -c FILE.ini`` and ``[server:main]``."""

from __future__ import annotations

import io
import threading
from configparser import ConfigParser

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.config import main as alembic
from alembic.script import ScriptDirectory
from pyramid.config import Configurator
from webtest import TestApp

from skywatch import main
from skywatch.cli import pserve
from skywatch.core.database.engine import DatabaseError, create_engine
from skywatch.core.database.migrations import newest_revision, upgrade
from skywatch.core.runtime import runtime_of
from tests.accounts import PASSWORD, TEST_SECRET
from tests.conftest import ROOT

DEVELOPMENT = {"environment": "development", "secret": TEST_SECRET, "auth_mode": "hybrid"}


@pytest.fixture(autouse=True)
def _only_the_ini(monkeypatch):
    for name in ("DATABASE_URL", "SECRET", "ENVIRONMENT", "ROLES"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def ini(tmp_path):
    """The ini file of the checkout in another folder, with the migrations of the checkout."""
    text = (ROOT / "development.ini").read_text().replace("%(here)s/alembic", str(ROOT / "alembic"))
    path = tmp_path / "development.ini"
    path.write_text(text)
    return path


def application(**settings):
    app = main({}, **DEVELOPMENT, **settings)
    return app, runtime_of(app.registry)


@pytest.mark.deep("a whole application from nothing")
@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///{folder}/var/new.sqlite"])
def test_empty_development_database_gets_its_schema(url, tmp_path):
    app, runtime = application(database_url=url.format(folder=tmp_path))
    client = TestApp(app)
    assert client.get("/api/v1/auth/config").json["auth_mode"] == "hybrid"
    # Every thread has the same database, as in a server.
    answers = []

    def log_in():
        body = {"username": "nobody", "password": PASSWORD}
        answers.append(client.post_json("/api/v1/auth/login", body, expect_errors=True).json["code"])

    thread = threading.Thread(target=log_in)
    thread.start()
    thread.join()
    assert answers == ["invalid_credentials"]
    with runtime.sessions() as session:
        assert session.scalar(sa.text("SELECT count(*) FROM roles")) == 5
        assert session.scalar(sa.text("SELECT version_num FROM alembic_version")) == newest_revision()
    runtime.close()


def test_two_databases_in_memory_are_two():
    one, other = create_engine("sqlite://"), create_engine("sqlite://")
    with one.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (a)")
    assert sa.inspect(one).get_table_names() == ["t"]
    assert sa.inspect(other).get_table_names() == []


def test_production_and_databases_with_tables_are_left_alone(tmp_path):
    url = f"sqlite:///{tmp_path}/a.sqlite"
    with pytest.raises(DatabaseError, match="has no Skywatch schema yet"):
        main({}, **{**DEVELOPMENT, "environment": "production"}, database_url=url)
    engine = create_engine(url)
    assert sa.inspect(engine).get_table_names() == []
    upgrade(engine, "0030")
    with pytest.raises(DatabaseError, match="has an older schema"):
        main({}, **DEVELOPMENT, database_url=url)
    engine.dispose()


def revision(path):
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        found = connection.scalars(sa.text("SELECT version_num FROM alembic_version")).all()
    engine.dispose()
    return found


def test_alembic_works_with_the_ini_file(ini):
    def run(*arguments):
        alembic(["-c", str(ini), *arguments])

    def printed(show):
        output = io.StringIO()
        show(Config(ini, stdout=output))
        return output.getvalue()

    database = ini.parent / "var" / "skywatch.sqlite"
    newest = newest_revision()
    run("upgrade", "head")
    assert revision(database) == [newest]
    assert printed(command.current).strip() == f"{newest} (head)"
    assert "0028 -> 0029" in printed(command.history)
    run("check")
    run("downgrade", "0030")
    assert revision(database) == ["0030"]
    run("upgrade", "+1")
    assert revision(database) == ["0031"]
    run("downgrade", "base")
    assert revision(database) == []


def test_alembic_takes_the_database_of_the_environment(ini, tmp_path, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/other.sqlite")
    alembic(["-c", str(ini), "upgrade", "head"])
    assert revision(tmp_path / "other.sqlite") == [newest_revision()]
    assert not (ini.parent / "var").exists()


@pytest.mark.parametrize(
    ("setting", "arguments", "words"),
    [
        ("", ("upgrade", "head", "--sql"), "there is no script of them"),
        ("database_url = sqlite:////none/at/all.sqlite", ("current",), "setting database_url: "),
        ("retention_days = many", ("upgrade", "head"), "setting retention_days: "),
    ],
)
def test_what_alembic_cannot_do_is_one_line(ini, capsys, setting, arguments, words):
    lines = [line for line in ini.read_text().splitlines() if not line.startswith("database_url")]
    ini.write_text("\n".join(lines).replace("[app:main]", f"[app:main]\n{setting}"))
    with pytest.raises(SystemExit) as ended:
        alembic(["-c", str(ini), *arguments])
    line = capsys.readouterr().err if ended.value.code == 1 else str(ended.value.code)
    assert words in line
    assert line.strip().count("\n") == 0


@pytest.mark.parametrize(
    "name",
    [
        "development.ini",
        "production.ini",
        "deploy/debian/skywatch.ini",
        "deploy/image/skywatch.ini",
        "deploy/cluster/skywatch.ini",
    ],
)
def test_shipped_files_have_sections_for_both(name):
    parser = ConfigParser(interpolation=None)
    parser.read(ROOT / name)
    assert dict(parser["server:main"]) == {"use": "egg:skywatch"}
    location = parser["alembic"]["script_location"]
    if "/" not in name:
        assert location == "%(here)s/alembic"
        assert ScriptDirectory.from_config(Config(ROOT / name)).get_current_head() == newest_revision()
    else:
        # Installed, the migrations are in the package.
        assert location == "skywatch:migrations"


def factory(ini, capsys, **options):
    with pytest.raises(SystemExit) as ended:
        pserve.server_factory({"__file__": str(ini), "here": str(ini.parent)}, **options)
    assert ended.value.code == 1
    return capsys.readouterr().err


def test_options_of_the_section_of_the_server_are_refused(ini, capsys):
    """What such a section had for waitress: nothing of it would hold."""
    line = factory(ini, capsys, listen="127.0.0.1:80")
    assert line == "skywatch: setting listen: belongs into [app:main]; the section of the server has none\n"


def test_wrong_setting_is_one_line_before_anything_is_made(ini, capsys):
    ini.write_text(ini.read_text().replace("[app:main]", "[app:main]\nretention_days = many"))
    assert factory(ini, capsys).startswith("skywatch: setting retention_days: ")
    assert not (ini.parent / "var").exists()


def test_database_of_a_server_is_not_touched(ini, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql+psycopg://nobody@127.0.0.1:1/none")
    assert pserve.server_factory({"__file__": str(ini), "here": str(ini.parent)}) is pserve.serve


@pytest.mark.parametrize("app", [lambda environ, start: [], Configurator().make_wsgi_app()], ids=["filter", "foreign"])
def test_other_applications_are_refused(app, capsys):
    with pytest.raises(SystemExit):
        pserve.serve(app)
    assert "serves the application egg:skywatch" in capsys.readouterr().err
