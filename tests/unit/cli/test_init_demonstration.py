"""``skywatch init --demonstration``: what a first look shows is stored, so that the console can change it."""

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from sqlalchemy.orm import Session

from skywatch.accounts.models import FeatureAccessSetting as Stored
from skywatch.accounts.models import User
from skywatch.cli import group
from skywatch.core.database.engine import create_engine
from skywatch.core.process.secret_file import with_secret
from skywatch.core.storage.audit import COMMAND_LINE
from skywatch.core.stored_settings import change, in_force, read
from skywatch.features import load
from skywatch.security.contexts import DEFAULT_ACCESS
from skywatch.security.permissions import SCOPES


@pytest.fixture
def installation(tmp_path):
    texts = {"environment": "development", "database_url": f"sqlite:///{tmp_path}/skywatch.sqlite"}

    def init(**more):
        ini = tmp_path / "skywatch.ini"
        lines = [f"{name} = {text}" for name, text in {**texts, **more}.items()]
        ini.write_text("\n".join(["[app:main]", "use = egg:skywatch", *lines, ""]))
        done = CliRunner().invoke(group, ["init", str(ini), "--demonstration"])
        assert done.exit_code == 0, done.output
        init.output = done.output
        settings = load({**texts, **more}, {})
        return settings, create_engine(settings.database_url)

    return init


def test_a_new_database_has_simulated_aircraft_that_the_console_may_remove(installation):
    settings, engine = installation()
    found = in_force(settings, engine)
    assert found.receivers == {"demo": "simulate aircraft=200"}
    assert (found.station_lat, found.station_lon) == (47.45, 8.56)
    assert {found.sources[name] for name in ("receiver.demo", "station_lat", "station_lon")} == {"database"}
    with Session(engine) as session, session.begin():
        change(
            session,
            with_secret(settings),
            COMMAND_LINE,
            {"receiver.demo": None, "station_lat": "1", "station_lon": "2"},
        )
    found = in_force(settings, engine)
    assert (found.receivers, found.station_lat) == ({}, 1.0)


def test_what_is_set_stays(installation):
    for more in ({"receiver.roof": "beast pi:30005"}, {"environment": "production", "secret": "s" * 40}):
        settings, engine = installation(**more)
        with Session(engine) as session:
            assert read(session, with_secret(settings)) == {}
    settings, engine = installation(station_lat="1", station_lon="2")
    with Session(engine) as session:
        assert list(read(session, with_secret(settings))) == ["receiver.demo"]
    # Another time changes nothing.
    installation()
    with Session(engine) as session:
        assert list(read(session, with_secret(settings))) == ["receiver.demo"]


def levels(engine):
    with Session(engine) as session:
        return {each.feature: (each.read_access, each.write_access) for each in session.scalars(sa.select(Stored))}


def test_reading_is_opened_once_whether_or_not_a_receiver_is_set(installation):
    _, engine = installation(**{"receiver.roof": "beast pi:30005"})
    opened = levels(engine)
    assert {opened[feature] for feature in SCOPES} == {("public", "permission")}
    kept = {feature: (access.read_access, access.write_access) for feature, access in DEFAULT_ACCESS.items()}
    assert {feature: level for feature, level in opened.items() if feature not in SCOPES} == {
        feature: level for feature, level in kept.items() if feature not in SCOPES
    }
    assert "Everybody who reaches this service may read it" in installation.output
    # Without a terminal.
    assert "skywatch user add" in installation.output
    with Session(engine) as session, session.begin():
        session.get(Stored, "aircraft").read_access = "authenticated"
    installation()
    assert levels(engine) == opened | {"aircraft": ("authenticated", "permission")}
    assert "may read it" not in installation.output


@pytest.mark.parametrize("by", ["user", "access", "mode"])
def test_a_database_in_use_keeps_its_levels_and_one_line_says_so(installation, by):
    _, engine = installation(environment="production", secret="s" * 40)
    with Session(engine) as session, session.begin():
        if by == "user":
            session.add(User(username="ada", username_key="ada", display_name="Ada", email=""))
        elif by == "access":
            session.get(Stored, "audio").is_enabled = False
    before = levels(engine)
    installation(**({"auth_mode": "private"} if by == "mode" else {}))
    assert levels(engine) == before
    lines = [line for line in installation.output.splitlines() if "/console/access" in line]
    assert len(lines) == (0 if by == "mode" else 1)
