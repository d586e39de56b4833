"""Retention removes what is too old or too much, oldest first, in steps, and gives SQLite's space back."""

import dataclasses
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from skywatch.accounts.models import Login
from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern, SessionPattern
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SQLITE_JOURNAL_BYTES, create_engine, create_session_factory, writing
from skywatch.core.database.fencing import FencedError
from skywatch.core.database.models import AuditEntry
from skywatch.core.database.upkeep import database_bytes
from skywatch.core.storage import audit, retention
from skywatch.core.storage.retention import Pruner, extent
from skywatch.features import FEATURES
from skywatch.history.models import Chunk, Flight
from skywatch.notify.models import Channel, Delivery
from tests.accounts import Population
from tests.extremes import NUMBERS
from tests.servers import postgresql_database

DAY = timedelta(days=1)


@pytest.fixture
def postgresql_url(migrated_postgresql):
    """A database that no test has used: its size is measured."""
    with postgresql_database(template=migrated_postgresql) as url:
        yield url


@pytest.fixture
def engine(database_url):
    engine = create_engine(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def sessions(engine):
    return create_session_factory(engine)


def age(sessions, days, chunk_bytes=4000, per_day=12):
    """Chunks and finished flights of so many days up to now."""
    begin = utcnow() - timedelta(days=days)
    moments = [begin + number * DAY / per_day for number in range(days * per_day)]
    chunk = {"shard": 1, "aircraft": 1, "points": 1, "data": bytes(chunk_bytes)}
    flight = {
        "icao_hex": "4B1620", "military": False, "emergency": False, "messages": 1, "positions": 1, "points": 1,
        "distance_nm": 1.0,
    }  # fmt: skip
    with writing(sessions) as session:
        connection = session.connection()
        connection.execute(
            sa.insert(Chunk.__table__), [{**chunk, "slice_at": int(moment.timestamp())} for moment in moments]
        )
        connection.execute(
            sa.insert(Flight.__table__),
            [
                {**flight, "active": number % 2 == 0, "first_seen_at": moment, "last_seen_at": moment}
                for number, moment in enumerate(moments)
            ],
        )


def pruner(engine, sessions, make_settings, **changes):
    return Pruner(engine, sessions, make_settings(**changes), FEATURES.retention_kinds(), lambda seconds: False)


def rows(sessions, model):
    with sessions() as session:
        return session.scalar(sa.select(sa.func.count()).select_from(model))


def test_a_year_shrinks_to_its_days(engine, sessions, make_settings):
    age(sessions, 365)
    removed = pruner(engine, sessions, make_settings, retention_positions_days=30, retention_flights_days=100).run()
    assert rows(sessions, Chunk) == pytest.approx(30 * 12, abs=1)
    # Flights still in the air stay, however old they say they are.
    assert rows(sessions, Flight) == pytest.approx(100 * 6 + 365 * 6, abs=266 * 6)
    with sessions() as session:
        assert session.scalar(sa.select(sa.func.min(Flight.first_seen_at)).where(~Flight.active)) > utcnow() - 101 * DAY
    assert removed == pytest.approx(335 * 12 + 265 * 6, abs=3)


def test_nothing_goes_where_there_is_no_limit(engine, sessions, make_settings):
    age(sessions, 10)
    unlimited = {"retention_positions_days": 0, "retention_flights_days": 0}
    assert pruner(engine, sessions, make_settings, **unlimited).run() == 0


def test_flights_stay_as_long_as_their_tracks(engine, sessions, make_settings):
    age(sessions, 20)
    pruner(engine, sessions, make_settings, retention_positions_days=15, retention_flights_days=5).run()
    with sessions() as session:
        assert session.scalar(sa.select(sa.func.min(Flight.first_seen_at)).where(~Flight.active)) < utcnow() - 14 * DAY


def test_a_limit_of_room_keeps_the_newest(engine, sessions, make_settings):
    age(sessions, 100)
    kept = {"retention_positions_days": 0, "retention_flights_days": 0}
    pruner(engine, sessions, make_settings, retention_positions_mb=2, **kept).run()
    with sessions() as session:
        found = extent(session, next(kind for kind in FEATURES.retention_kinds() if kind.name == "positions"))
    assert 1_800_000 < found.bytes <= 2_000_000
    assert found.oldest_at > utcnow() - 45 * DAY
    assert rows(sessions, Flight) == 1200


def test_of_one_users_deliveries_the_newest_stay(engine, make_runtime, make_settings):
    """Those that are still to be sent stay, and those of others."""
    runtime = make_runtime(database_url=engine.url.render_as_string(hide_password=False))
    sessions = runtime.sessions
    users = Population(runtime).users({"olga": "operator", "otto": "operator"})
    with writing(sessions) as session:
        for name, number in users.items():
            session.add(Channel(id=number, user_id=number, name=name, kind="webhook"))
            session.flush()
            for place in range(9):
                session.add(
                    Delivery(
                        message_id=f"{name} {place}", channel_id=number, user_id=number, kind="alert",
                        event="alert.triggered", priority="info", title="", text="", body={}, at=utcnow(),
                        expires_at=utcnow(), state="pending" if place == 0 else ("delivered", "dead")[place % 2],
                        created_at=utcnow() - (9 - place) * timedelta(seconds=1 if name == "olga" else 9),
                    )
                )  # fmt: skip
    (kind,) = [kind for kind in FEATURES.retention_kinds() if kind.name == "deliveries"]
    few = [dataclasses.replace(kind, most_of_owner=5)]
    removed = Pruner(engine, sessions, make_settings(), few, lambda seconds: False).run()
    with sessions() as session:
        left = session.scalars(sa.select(Delivery.message_id).order_by(Delivery.message_id)).all()
    assert left == [f"{name} {place}" for name in ("olga", "otto") for place in (0, 4, 5, 6, 7, 8)]
    assert removed == 6


def test_the_database_as_a_whole_has_a_limit_too(engine, sessions, make_settings):
    age(sessions, 100, chunk_bytes=9000)
    before, _ = database_bytes(engine)
    limit_mb = before / 1e6 - 4
    kept = {"retention_positions_days": 0, "retention_flights_days": 0}
    pruner(engine, sessions, make_settings, retention_database_mb=limit_mb, **kept).run()
    if engine.dialect.name == "sqlite":
        after, _ = database_bytes(engine)
        assert after <= (limit_mb + 0.5) * 1e6
    assert rows(sessions, Chunk) == pytest.approx(1200 - 4e6 / 9100, abs=60)
    assert rows(sessions, Flight) == 1200


def test_a_limit_of_the_whole_database_is_met_once(engine, sessions, make_settings):
    age(sessions, 200, chunk_bytes=6000)
    limit_mb = database_bytes(engine)[0] / 1e6 - 6
    kept = {"retention_positions_days": 0, "retention_flights_days": 0}
    work = pruner(engine, sessions, make_settings, retention_database_mb=limit_mb, **kept)
    assert work.run() > 0
    left = rows(sessions, Chunk)
    # What comes later takes the room of what has gone, and no file of PostgreSQL's becomes smaller by it.
    assert [work.run() for _ in range(3)] == [0, 0, 0]
    assert rows(sessions, Chunk) == left > 1000


def test_postgresql_uses_the_room_again(postgresql_url, make_settings):
    engine = create_engine(postgresql_url)
    sessions = create_session_factory(engine)

    def size():
        with engine.connect() as connection:
            return connection.scalar(sa.select(sa.func.pg_relation_size(Chunk.__tablename__)))

    age(sessions, 100, chunk_bytes=1500)
    before = size()
    for _ in range(3):
        pruner(engine, sessions, make_settings, retention_positions_days=10, retention_flights_days=10).run()
        age(sessions, 50, chunk_bytes=1500)
    assert size() <= before
    engine.dispose()


def test_sqlite_gives_the_room_back(sqlite_url, make_settings):
    engine = create_engine(sqlite_url)
    sessions = create_session_factory(engine)
    age(sessions, 365)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    path = Path(engine.url.database)
    before = path.stat().st_size
    pruner(engine, sessions, make_settings, retention_positions_days=30, retention_flights_days=30).run()
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    assert path.stat().st_size < before / 4


def test_the_journal_of_sqlite_does_not_keep_the_room(sqlite_url):
    engine = create_engine(sqlite_url)
    age(create_session_factory(engine), 365, chunk_bytes=8000)
    journal = Path(f"{engine.url.database}-wal")
    assert journal.stat().st_size > 2 * SQLITE_JOURNAL_BYTES
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")
    age(create_session_factory(engine), 1)
    assert journal.stat().st_size <= SQLITE_JOURNAL_BYTES
    engine.dispose()


def test_it_stops_where_it_is_told_to(engine, sessions, make_settings):
    age(sessions, 365)
    settings = make_settings(retention_positions_days=1, retention_flights_days=0)
    Pruner(engine, sessions, settings, FEATURES.retention_kinds(), lambda seconds: True).run()
    assert rows(sessions, Chunk) == 365 * 12 - retention.FIRST_ROWS


def test_steps_grow_and_shrink_with_the_time_they_take(engine, sessions, make_settings, monkeypatch):
    age(sessions, 60)
    monkeypatch.setattr(retention, "MAX_STEP_S", 0.0)
    work = pruner(engine, sessions, make_settings, retention_positions_days=1)
    work.run()
    assert work._rows["positions"] == retention.FEWEST_ROWS


def test_every_kind_of_data_that_grows_has_a_limit_of_age():
    assert {kind.name for kind in FEATURES.retention_kinds()} == {
        "acars_messages", "airport_approaches", "airport_corrections", "alert_matches", "alerts", "audio", "audit",
        "cannonball_alerts", "cannonball_patterns", "cannonball_sessions", "deliveries", "events", "flights",
        "logins", "health", "low_tracks", "movements", "positions", "quality", "quality_connections",
        "report_editions", "safety_events", "safety_regions",
    }  # fmt: skip


def test_the_audit_log_has_limits_of_age_and_of_room(engine, sessions, make_settings):
    now = utcnow()
    with writing(sessions) as session:
        for _ in range(500):
            audit.record(session, audit.COMMAND_LINE, "user.changed", after={"display_name": "x" * 900})
        session.flush()
        ids = session.scalars(sa.select(AuditEntry.id).order_by(AuditEntry.id)).all()
        table = AuditEntry.__table__
        session.connection().execute(
            sa.update(table).where(table.c.id == sa.bindparam("number")).values(at=sa.bindparam("moment")),
            [{"number": number, "moment": now - days * DAY} for days, number in enumerate(ids)],
        )
    pruner(engine, sessions, make_settings, retention_audit_days=0).run()
    assert rows(sessions, AuditEntry) == 500
    pruner(engine, sessions, make_settings).run()  # a year unless said otherwise
    assert rows(sessions, AuditEntry) == 365
    pruner(engine, sessions, make_settings, retention_audit_mb=0.1).run()
    assert 80 <= rows(sessions, AuditEntry) <= 110
    with sessions() as session:
        assert session.scalar(sa.select(sa.func.max(AuditEntry.at))) == now


def test_logins_go_when_where_they_came_from_need_not_be_known_any_more(make_runtime, engine, sessions, make_settings):
    people = Population(make_runtime(database_url=engine.url.render_as_string(hide_password=False)))
    user = people.user("anna")
    now = utcnow()
    with writing(sessions) as session:
        for days in (-10, 10, 80, 100, 200):
            session.add(
                Login(
                    id=f"login {days}", user_id=user, method="password", refresh_id="r", created_at=now - 400 * DAY,
                    expires_at=now - days * DAY,
                )
            )  # fmt: skip
    pruner(engine, sessions, make_settings).run()
    with sessions() as session:
        assert set(session.scalars(sa.select(Login.id))) == {"login -10", "login 10", "login 80"}
    pruner(engine, sessions, make_settings, retention_logins_days=30).run()
    with sessions() as session:
        assert set(session.scalars(sa.select(Login.id))) == {"login -10", "login 10"}


def cannonball_of(session, user, *days_ago, active=False, alerts=3):
    """Sessions with their alerts and a pattern each, so many days ago."""
    now = utcnow()
    pairs = []
    for days in days_ago:
        at = now - days * DAY
        found = CannonballSession(
            user_id=user, icao_hex="A00001", identification="database", is_active=active, threat_level="info",
            peak_threat_level="info", urgency_score=1.0, peak_urgency_score=1.0, distance_nm=1.0, closest_nm=1.0,
            bearing=0.0, closing_speed_kts=0.0, started_at=at, last_seen=at,
        )  # fmt: skip
        pattern = FlightPattern(
            key=f"{days}", icao_hex="A00001", pattern_type="circling", is_surveillance=True, confidence="high",
            confidence_score=0.9, center_lat=0.0, center_lon=0.0, radius_nm=1.0, started_at=at,
            ended_at=None if active else at, duration_s=60.0,
        )  # fmt: skip
        pairs.append((found, pattern))
    session.add_all([row for pair in pairs for row in pair])
    session.flush()
    session.add_all([SessionPattern(session_id=found.id, pattern_id=pattern.id) for found, pattern in pairs])
    alert = {
        "user_id": user, "session_icao": "A00001", "alert_type": "le_detected", "priority": "info", "title": "t",
        "message": "m" * 500, "aircraft_lat": 0.0, "aircraft_lon": 0.0, "user_lat": 0.0, "user_lon": 0.0,
        "distance_nm": 1.0, "bearing": 0.0,
    }  # fmt: skip
    of_sessions = [
        {**alert, "session_id": found.id, "pattern_id": pattern.id, "created_at": found.started_at}
        for found, pattern in pairs
        for _ in range(alerts)
    ]
    if of_sessions:
        session.connection().execute(sa.insert(CannonballAlert.__table__), of_sessions)


@pytest.fixture
def user(make_runtime, engine):
    return Population(make_runtime(database_url=engine.url.render_as_string(hide_password=False))).user("anna")


def test_cannonball_keeps_its_days_and_what_still_runs(engine, sessions, make_settings, user):
    with writing(sessions) as session:
        cannonball_of(session, user, *range(1, 200))
        cannonball_of(session, user, 300, active=True, alerts=0)
    pruner(engine, sessions, make_settings).run()
    assert rows(sessions, CannonballSession) == rows(sessions, FlightPattern) == 89 + 1
    assert rows(sessions, CannonballAlert) == 89 * 3
    assert rows(sessions, SessionPattern) == 89 + 1


def test_the_oldest_row_is_the_one_that_began_first(sessions, user):
    began = utcnow() - 5 * DAY
    with writing(sessions) as session:
        cannonball_of(session, user, 5, active=True)
        cannonball_of(session, user, 3)
        session.add(
            Login(
                id="one", user_id=user, method="password", refresh_id="1", created_at=began, expires_at=began + 8 * DAY
            )
        )
    kinds = {kind.name: kind for kind in FEATURES.retention_kinds()}
    with sessions() as session:
        for name in ("cannonball_patterns", "logins"):
            assert abs(extent(session, kinds[name]).oldest_at - began) < timedelta(minutes=1), name


def test_cannonball_has_a_limit_of_room_for_each_of_its_kinds(engine, sessions, make_settings, user):
    with writing(sessions) as session:
        cannonball_of(session, user, *range(1, 300), alerts=5)
    pruner(engine, sessions, make_settings, retention_cannonball_days=0, retention_cannonball_mb=0.5).run()
    with sessions() as session:
        alerts = extent(session, next(kind for kind in FEATURES.retention_kinds() if kind.name == "cannonball_alerts"))
    assert 450_000 < alerts.bytes <= 500_000
    assert alerts.oldest_at > utcnow() - 200 * DAY
    assert rows(sessions, CannonballSession) == rows(sessions, FlightPattern) == 299


def test_a_kind_that_fails_does_not_stop_the_others(engine, sessions, make_settings):
    age(sessions, 20)

    def fail(settings):
        raise OverflowError("date value out of range")

    settings = make_settings(retention_positions_days=5, retention_flights_days=5)
    kinds = [dataclasses.replace(k, days=fail) if k.name != "positions" else k for k in FEATURES.retention_kinds()]
    kinds.sort(key=lambda kind: kind.name == "positions")
    failing = Pruner(engine, sessions, settings, kinds, lambda seconds: False)
    assert failing.run() == pytest.approx(15 * 12, abs=2)
    assert set(failing.faults) == {kind.name for kind in kinds} - {"positions"}
    # What there is was counted all the same.
    assert failing.extents["flights"].rows == 20 * 12
    failing.kinds = FEATURES.retention_kinds()
    failing.run()
    assert failing.faults == {}


@pytest.mark.parametrize(
    "error",
    [FencedError("another leads"), OperationalError("DELETE", {}, Exception("locked"))],
    ids=["lead", "database"],
)
def test_what_concerns_all_kinds_ends_the_round(engine, sessions, make_settings, error):
    asked = []

    def fail(settings):
        asked.append(1)
        raise error

    kinds = [dataclasses.replace(kind, days=fail) for kind in FEATURES.retention_kinds()]
    with pytest.raises(type(error)):
        Pruner(engine, sessions, make_settings(), kinds, lambda seconds: False).run()
    assert len(asked) == 1


def test_the_longest_and_largest_limits_remove_nothing(engine, sessions, make_settings):
    age(sessions, 10)
    limits = {name: str(bounds[1]) for name, bounds in NUMBERS.items() if name.startswith("retention_")}
    longest = pruner(engine, sessions, make_settings, **limits)
    assert longest.run() == 0
    assert longest.faults == {}
