"""``skywatch init --demonstration``: what a first look shows is stored, so that the console can change it."""

import pytest
from click.testing import CliRunner
from sqlalchemy.orm import Session

from skywatch.cli import group
from skywatch.core.database.engine import create_engine
from skywatch.core.process.secret_file import with_secret
from skywatch.core.storing.audit import COMMAND_LINE
from skywatch.core.storing.stored_settings import change, in_force, read
from skywatch.features import load


@pytest.fixture
def installation(tmp_path):
    texts = {"environment": "development", "database_url": f"sqlite:///{tmp_path}/skywatch.sqlite"}

    def init(**more):
        ini = tmp_path / "skywatch.ini"
        lines = [f"{name} = {text}" for name, text in {**texts, **more}.items()]
        ini.write_text("\n".join(["[app:main]", "use = egg:skywatch", *lines, ""]))
        done = CliRunner().invoke(group, ["init", str(ini), "--demonstration"])
        assert done.exit_code == 0, done.output
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
