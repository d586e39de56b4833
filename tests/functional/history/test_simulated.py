"""Sums leave out simulated flights of the archive as they do those of the database; earlier files have no mark."""

import dataclasses
import shutil
from datetime import timedelta

import pytest

from skywatch.archive.contents.row_file import row_file
from skywatch.core.bus import open_bus
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.history import retention
from skywatch.history.models import FLIGHTS
from skywatch.picture.counted import record_real_sky
from tests.archives import FIRST, address_of, archive, counts, fill, prune
from tests.functional.history.recorded import ANALYST, get
from tests.functional.history.test_border import RETENTION, STATION
from tests.identities import install

pytestmark = pytest.mark.deep("an archive and its worker process")
SPAN = {"from": "2026-02-28T00:00:00Z", "to": "2026-03-04T00:00:00Z"}
SIMULATED = address_of(7).upper()


@pytest.fixture
def both(migrated_sqlite, tmp_path, make_client):
    """Make a service that kept two days, and one that has them in its archive alone."""

    def make():
        whole, archived = tmp_path / "whole.sqlite", tmp_path / "archived.sqlite"
        shutil.copy(migrated_sqlite, whole)
        engine = create_engine(f"sqlite:///{whole}")
        sessions = create_session_factory(engine)
        fill(sessions, days=2)
        with writing(sessions) as session:
            record_real_sky(session)
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        engine.dispose()
        shutil.copy(whole, archived)
        place = {"database_url": f"sqlite:///{archived}", "archive_url": f"file://{tmp_path}/archive"}
        settings = load({"secret": "x" * 40, "bus": "memory", "auth_mode": "public", **place, **RETENTION}, {})
        engine = create_engine(settings.database_url)
        runtime = Runtime(settings, engine, create_session_factory(engine), open_bus("memory"))
        archive(runtime.sessions, settings, days=[FIRST, FIRST + timedelta(days=1)])
        prune(runtime, settings)
        assert counts(runtime.sessions)[0] == 0
        runtime.close()
        places = {"database_url": f"sqlite:///{whole}"}, place
        return [install(make_client(auth_mode="hybrid", **STATION, **each)) for each in places]

    return make


def of_aircraft(answer):
    return {entry["icao_hex"] for entry in answer["top_aircraft"]}


def test_no_sum_over_the_archive_names_a_simulated_aircraft(both):
    whole, archived = both()
    for path in ("stats", "heatmap", "coverage"):
        answer = get(archived, path, ANALYST, **SPAN)
        assert answer.body == get(whole, path, ANALYST, **SPAN).body
    flights = get(archived, "flights", ANALYST, limit=500, **SPAN).json["flights"]
    simulated = {flight["icao_hex"] for flight in flights if flight["simulated"]}
    assert simulated == {SIMULATED}
    statistics = get(archived, "stats", ANALYST, **SPAN).json
    assert statistics["flights"] == sum(not flight["simulated"] for flight in flights) > 0
    assert SIMULATED not in of_aircraft(statistics)


def test_files_of_earlier_releases_have_no_mark_and_are_read(both, monkeypatch):
    flights, *others = retention.ARCHIVED
    plain = row_file("flights", "first_seen_at", FLIGHTS, without=("simulated",))
    monkeypatch.setattr(retention, "ARCHIVED", (dataclasses.replace(flights, files=plain), *others))
    whole, archived = both()
    listed = get(archived, "flights", ANALYST, limit=500, **SPAN).json["flights"]
    assert {flight["simulated"] for flight in listed} == {False}
    assert get(archived, "stats", ANALYST, **SPAN).json["flights"] == len(listed)
    assert len(listed) == len(get(whole, "flights", ANALYST, limit=500, **SPAN).json["flights"])
