"""An hour that ended a moment ago: recorded history, and the same aircraft still in the sky."""

import shutil
import time

import pytest

from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.history.recorder.recorder import Recorder
from skywatch.history.recorder.writer import Writer
from skywatch.picture.trails.remote import TrailServer
from skywatch.picture.trails.trail import TrailStore
from tests.identities import install
from tests.skies import show, sky_of
from tests.unit.history.skies import SkyMaker, flying

RECORDED_S = 4200
SWISS, FIGHTER = "4b1620", "43c001"


def record(sessions, begin):
    """An airliner that has landed and begun another flight, and a military aircraft."""
    writer, make = Writer(sessions, Recorder(20.0, 25.0, 900.0)), SkyMaker()
    for second in range(0, RECORDED_S, 4):
        now = begin + second
        lands = 1800 <= second < 2400
        sky = [
            flying(
                SWISS,
                now,
                begin,
                flight="SWR1" if second < 2400 else "SWR22",
                type="A320",
                registration="HB-JJA",
                squawk="1000",
                on_ground=lands,
                alt_baro_ft=float("nan") if lands else 36000.0,
            ),
            flying(FIGHTER, now, begin, flight="RRR1", military=True, type="A400"),
        ]
        writer.recorder.take(make(now, sky))
        if second % 60 == 56:
            writer.flush()
    writer.flush()
    return sky


@pytest.fixture(scope="package")
def recorded(migrated_sqlite, tmp_path_factory):
    """(SQLite file with the hour, its last aircraft, when it ended)."""
    path = tmp_path_factory.mktemp("recorded") / "recorded.sqlite"
    shutil.copy(migrated_sqlite, path)
    engine = create_engine(f"sqlite:///{path}")
    ended = int(time.time())
    record(create_session_factory(engine), ended - RECORDED_S)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    return path, ended


def present(ended, lat=47.0 + RECORDED_S * 0.002, **changes):
    """The aircraft as the last tick has them, far beyond what the station can hear."""
    common = {"lat": lat, "alt_baro": 36000, "gs": 432.0, "track": 0.0}
    swiss = {"hex": SWISS, "lon": 8.0 + 0x20 * 0.01, "flight": "SWR22", "t": "A320", "squawk": "1000", "rssi": -12.5}
    fighter = {"hex": FIGHTER, "lon": 8.01, "flight": "RRR1", "t": "A400", "military": True}
    silent = {"hex": "3c6444", "seen": 12.0}
    return sky_of({**common, **swiss, "r": "HB-JJA"}, {**common, **fighter}, silent, now=float(ended), **changes)


@pytest.fixture
def make_past(recorded, tmp_path, make_client):
    """Makes a client of a service with that past; settings as for ``make_client``."""
    servers = []

    def make(**settings):
        path, ended = recorded
        shutil.copy(path, tmp_path / "recorded.sqlite")
        url = f"sqlite:///{tmp_path}/recorded.sqlite"
        settings = {"auth_mode": "hybrid", "station_lat": 47.45, "station_lon": 8.56} | settings
        client = install(make_client(database_url=url, **settings))
        sky = show(client.runtime, present(ended))
        trails = TrailStore()
        trails.add(sky)
        servers.append(TrailServer(client.runtime.bus, trails))
        return client

    yield make
    for server in servers:
        server.close()


@pytest.fixture
def client(make_past):
    return make_past()
