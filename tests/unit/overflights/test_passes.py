"""Who was over an area, compared with a plain recount of drawn tracks."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
import sqlalchemy as sa

from skywatch.airports.corrections import store_corrections
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.history.models import Chunk
from skywatch.history.storage.points import address_code
from skywatch.history.storage.span import Span
from skywatch.overflights import passes as module
from skywatch.overflights import tiles as tiles_module
from skywatch.overflights.area import area_of_box, area_of_geometry, rings_of
from skywatch.overflights.indexer import Indexer, state_of
from skywatch.overflights.models import Tile
from skywatch.overflights.passes import Question, passes
from skywatch.overflights.tiles import tiles_of_box
from tests.unit.overflights.drawn import BEGIN, draw, points_of, recount, store

DAY = 86_400.0


@pytest.fixture
def sessions(sqlite_url):
    engine = create_engine(sqlite_url)
    yield create_session_factory(engine)
    engine.dispose()


def shape(place, scale=0.12):
    """A polygon with a hole and a notch around a place, and GeoJSON of it."""
    lat, lon = place
    ring = [(-1, -1), (1, -1), (1, 1), (0.2, 0.1), (-1, 1), (-1, -1)]
    hole = [(-0.5, -0.5), (-0.2, -0.5), (-0.2, -0.2), (-0.5, -0.2), (-0.5, -0.5)]

    def placed(points):
        return [[(lon + x * scale * 1.4 + 180) % 360 - 180, lat + y * scale] for x, y in points]

    return {"type": "Polygon", "coordinates": [placed(ring), placed(hole)]}


def ask(sessions, area, below_ft=3_000.0, begin=BEGIN, end=BEGIN + DAY):
    with sessions() as session:
        question = Question(area, below_ft, begin, end)
        return passes(session, question, Span(begin, end), simulated=True)


def compare(found, expected):
    """Flights that were there for a moment only may be missing in either."""
    rows = {int(flight): index for index, flight in enumerate(found.flight)}
    for flight, (entered, left, lowest, seconds) in expected.items():
        if seconds > 1.0:
            index = rows[flight]
            assert found.entered_at[index] == pytest.approx(entered, abs=1.1)
            assert found.left_at[index] == pytest.approx(left, abs=1.1)
            assert found.lowest_ft[index] == pytest.approx(lowest, abs=80)
    for flight, index in rows.items():
        if flight not in expected:
            assert found.left_at[index] - found.entered_at[index] < 1.0
    assert list(found.entered_at) == sorted(found.entered_at, reverse=True)


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize(
    ("kind", "place", "indexed"),
    [
        ("sqlite", (47.0, 8.0), True),
        ("sqlite", (-17.0, 179.98), False),
        ("postgresql", (-17.0, 179.98), True),
        ("postgresql", (47.0, 8.0), False),
    ],
)
def test_flights_over_a_geofence_are_those_of_a_plain_recount(request, kind, place, indexed):
    engine = create_engine(request.getfixturevalue(f"{kind}_url"))
    request.addfinalizer(engine.dispose)
    sessions = create_session_factory(engine)
    flights = draw(140, 1, place) + draw(60, 8, place, first=141, heights=(11_000, 17_000))
    with writing(sessions) as session:
        store(session, flights)
    if indexed:
        Indexer(sessions).run(at_once=True)
    area = area_of_geometry(shape(place))
    lon = place[1]
    moved = [(f, [(p[0], p[1], lon + (p[2] - lon + 180) % 360 - 180, *p[3:]) for p in f.points]) for f in flights]
    straight = [f._replace(points=points) for f, points in moved]
    polygon = shapely.Polygon(*_straight(shape(place), lon))
    span = BEGIN + DAY / 4, BEGIN + DAY * 3 / 4
    expected = recount(straight, polygon, 3_000.0, span)
    assert len(expected) > 12
    compare(ask(sessions, area, 3_000.0, *span), expected)
    # As high as the index goes almost, and higher than it goes.
    day = BEGIN, BEGIN + DAY
    for below_ft in (14_000.0, 50_000.0):
        compare(ask(sessions, area, below_ft), recount(straight, polygon, below_ft, day))
    # By the local pressure all are lower: those below 14,200 ft are in the index still, those below 14,900 ft are not.
    lat, lon = (int(np.floor(degrees)) for degrees in place)
    everywhere = [(y, (x + 180) % 360 - 180) for y in range(lat - 2, lat + 3) for x in range(lon - 2, lon + 3)]
    with writing(sessions) as session:
        for hour in range(26):
            at = int(BEGIN) + 3_600 * hour
            store_corrections(session, {(at, *cell): -800.0 for cell in everywhere})
    for below_ft in (14_200.0, 14_900.0):
        higher = recount(straight, polygon, below_ft + 800.0, day)
        expected = {flight: (*times, lowest - 800.0, seconds) for flight, (*times, lowest, seconds) in higher.items()}
        assert expected.keys() > recount(straight, polygon, below_ft, day).keys()
        compare(ask(sessions, area, below_ft), expected)


def _straight(document, middle):
    shell, *holes = [
        [(middle + (x - middle + 180) % 360 - 180, y) for x, y in ring] for ring in document["coordinates"]
    ]
    return shell, holes


def test_only_tiles_of_the_area_are_read_where_tracks_are_in_the_index(sessions, monkeypatch):
    flights = draw(60, 2)
    with writing(sessions) as session:
        store(session, flights)
    Indexer(sessions).run(at_once=True)
    read = []
    read_slices = module.read_slices

    def reading(session, span):
        read.append(span.end - span.begin)
        return read_slices(session, span)

    monkeypatch.setattr(module, "read_slices", reading)
    box = area_of_box((7.9, 46.9, 8.1, 47.1))
    for below_ft in (3_000.0, 14_900.0):
        assert len(ask(sessions, box, below_ft).flight)
    assert all(seconds < 7_200 for seconds in read)
    # What is lower by the local pressure is higher in the index.
    with writing(sessions) as session:
        store_corrections(session, {(int(BEGIN) + 3_600, 47, 7): -200.0})
    ask(sessions, box, 14_900.0)
    assert read[-1] >= DAY


@pytest.mark.deep("costs over a processor second")
def test_to_index_again_and_in_parts_changes_nothing(sessions):
    flights = draw(80, 3)
    with writing(sessions) as session:
        store(session, flights[40:])
    indexer = Indexer(sessions)
    indexer.run()
    with sessions() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(Tile)) == 0, "chunks settle for a run"
    indexer.run()
    with writing(sessions) as session:
        store(session, flights[:40])
    area = area_of_box((7.9, 46.9, 8.1, 47.1))
    before = ask(sessions, area)
    indexer.run(at_once=True)
    with writing(sessions) as session:
        session.execute(sa.text("UPDATE overflight_index SET chunk_id = 0"))
    indexer.run(at_once=True)
    for one, other in zip(before, ask(sessions, area), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_an_index_of_the_version_before_is_completed_up_to_the_new_height(request, kind, monkeypatch):
    engine = create_engine(request.getfixturevalue(f"{kind}_url"))
    request.addfinalizer(engine.dispose)
    sessions = create_session_factory(engine)
    flights = draw(8, 9) + draw(16, 10, first=9, heights=(11_000, 17_000))
    with writing(sessions) as session:
        store(session, flights)
    box = 7.9, 46.9, 8.1, 47.1
    expected = recount(flights, shapely.box(*box), 14_000.0, (BEGIN, BEGIN + DAY))
    # The tracker of the version before: lower tiles, and a row without a height.
    with monkeypatch.context() as patched:
        patched.setattr(tiles_module, "CEILING_FT", 12_000.0)
        Indexer(sessions).run(at_once=True)
    with writing(sessions) as session:
        chunk_id, slice_at = state_of(session)
        session.execute(sa.text("DELETE FROM overflight_index"))
        values = {"chunk": chunk_id, "slice": slice_at}
        session.execute(
            sa.text("INSERT INTO overflight_index (id, chunk_id, slice_at) VALUES (1, :chunk, :slice)"), values
        )
    compare(ask(sessions, area_of_box(box), 14_000.0), expected)
    Indexer(sessions).run(at_once=True)
    with sessions() as session:
        assert state_of(session) == (chunk_id, slice_at)
    compare(ask(sessions, area_of_box(box), 14_000.0), expected)
    rows = sa.select(Tile.tile, Tile.block_at, Tile.data).order_by(Tile.tile, Tile.block_at)
    with writing(sessions) as session:
        completed = session.execute(rows).all()
        session.execute(sa.delete(Tile))
        session.execute(sa.text("UPDATE overflight_index SET chunk_id = 0"))
    Indexer(sessions).run(at_once=True)
    with sessions() as session:
        assert session.execute(rows).all() == completed


def test_heights_are_corrected_by_the_pressure_of_place_and_hour(sessions):
    points = [(BEGIN + 3_600 + 20 * n, 47.0, 7.9 + 0.01 * n, 3_100.0, n == 0) for n in range(20)]
    (flight,) = draw(1, 4)
    with writing(sessions) as session:
        store(session, [flight._replace(points=points)])
        store_corrections(session, {(int(BEGIN) + 3_600, 47, 7): -200.0, (int(BEGIN) + 3_600, 47, 8): -200.0})
    Indexer(sessions).run(at_once=True)
    found = ask(sessions, area_of_box((7.95, 46.95, 8.05, 47.05)))
    assert found.lowest_ft.tolist() == [2_900.0]
    assert found.closest_nm[0] < 0.1
    with writing(sessions) as session:
        store_corrections(session, {(int(BEGIN) + 3_600, 47, lon): 200.0 for lon in (7, 8)})
    assert not len(ask(sessions, area_of_box((7.95, 46.95, 8.05, 47.05))).flight)


def test_hidden_aircraft_have_never_flown(sessions):
    from skywatch.airframes.military import military_aircraft

    flights = draw(30, 5)
    with writing(sessions) as session:
        store(session, flights)
    Indexer(sessions).run(at_once=True)
    area = area_of_box((7.8, 46.8, 8.2, 47.2))
    with sessions() as session:
        span = Span(BEGIN, BEGIN + DAY, hidden=military_aircraft(session))
        shown = passes(session, Question(area, 5_000.0, BEGIN, BEGIN + DAY), span, simulated=True)
    military = {flight.id for flight in flights if flight.military}
    everything = set(ask(sessions, area, 5_000.0).flight.tolist())
    assert everything & military
    assert set(shown.flight.tolist()) == everything - military
    assert address_code("4b0001") == int(points_of(flights)["aircraft"][0])


def test_the_index_goes_on_after_a_restart_and_begins_anew_where_chunks_were_removed(sessions):
    flights = draw(6, 6)
    with writing(sessions) as session:
        store(session, flights[:3])
    Indexer(sessions).run(at_once=True)
    with sessions() as session:
        before = state_of(session)
    assert before[0] > 0
    restarted = Indexer(sessions)
    restarted.run()
    with sessions() as session:
        assert state_of(session) == before
    restarted.run()
    with writing(sessions) as session:
        assert state_of(session) == before
        session.execute(sa.delete(Chunk).where(Chunk.id > 2))
    restarted.run(at_once=True)
    with sessions() as session:
        assert state_of(session)[0] == 2


def test_an_area_of_many_ranges_of_tiles_is_answered(sessions):
    points = [(BEGIN + 20 * n, 10.0, 179.9 + 0.002 * n, 2_000.0, n == 0) for n in range(40)]
    (flight,) = draw(1, 4)
    with writing(sessions) as session:
        store(session, [flight._replace(points=points)])
    Indexer(sessions).run(at_once=True)
    assert ask(sessions, area_of_box((179.95, -70.0, -179.95, 69.9))).flight.tolist() == [1]


def test_a_damaged_tile_takes_no_other_with_it_and_is_written_anew(sessions, caplog):
    flights = draw(12, 7)
    with writing(sessions) as session:
        store(session, flights)
    Indexer(sessions).run(at_once=True)
    area = area_of_box((7.6, 46.6, 8.4, 47.4))
    before = ask(sessions, area)
    with writing(sessions) as session:
        first = sa.select(Tile.tile).order_by(Tile.tile).limit(1).scalar_subquery()
        session.execute(sa.update(Tile).where(Tile.tile == first).values(data=b"\x01damaged"))
    assert 0 < len(ask(sessions, area).flight) <= len(before.flight)
    assert "of the index of low tracks cannot be read" in caplog.text
    with writing(sessions) as session:
        session.execute(sa.text("UPDATE overflight_index SET chunk_id = 0"))
    Indexer(sessions).run(at_once=True)
    for one, other in zip(before, ask(sessions, area), strict=True):
        np.testing.assert_array_equal(one, other)


def test_rings_that_go_all_around_are_drawn_as_they_lie():
    world = area_of_box((-180.0, -10.0, 180.0, 10.0))
    assert world.box == (-180.0, -10.0, 180.0, 10.0)
    for area, half in ((world, 180.0), (area_of_box((80.0, -10.0, -80.0, 10.0)), 100.0)):
        (ring,) = rings_of(area.geometry, area.lon)
        assert (ring[:, 0].min(), ring[:, 0].max()) == pytest.approx((-half, half))
    tiles = tiles_of_box(world.box)
    assert sum(last - first + 1 for first, last in tiles) == 1_800 * 101
