"""Learnt places are stored in few statements, however many cells changed, and read as they were."""

import sqlalchemy as sa

from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.database.models import Base
from skywatch.safety.detection import learnt_places
from skywatch.safety.detection.frame import Frame
from skywatch.safety.detection.learnt_places import Learner, Learnt
from skywatch.safety.places.storage import BATCH, read, store
from tests.skies import sky_of
from tests.statements import counting
from tests.unit.safety.drawn import Drawn, skies, straight


def test_changed_cells_are_replaced_in_two_statements(tmp_path):
    engine = create_engine(f"sqlite:///{tmp_path}/places.sqlite")
    Base.metadata.create_all(engine)
    sessions, learner = create_session_factory(engine), Learner()
    cells = {(y, x): Learnt({10: y + 1}, None, 0, 1.0) for y in range(3) for x in range(BATCH // 2)}
    learner.restore(cells)
    learner.put_back(cells)
    store(sessions, learner)
    for learnt in cells.values():
        learnt.levels[10] += 5
    learner.forget()
    learner.restore(cells)
    with counting(engine) as statements:
        store(sessions, learner)
    changes = [text for text in statements if text.startswith(("DELETE", "INSERT"))]
    assert len(changes) == 2 * -(-len(cells) // BATCH)
    with sessions() as session:
        assert {key: learnt.levels for key, learnt in read(session).items()} == {
            key: learnt.levels for key, learnt in cells.items()
        }
        assert session.scalar(sa.text("SELECT count(*) FROM safety_places")) == len(cells)
    engine.dispose()


def test_where_no_room_is_left_the_cells_go_that_were_used_longest_ago(monkeypatch):
    monkeypatch.setattr(learnt_places, "MAX_CELLS", 200)
    learner = Learner()
    learner.restore({(1, x): Learnt({10: 40}, (1.0, float(x)), 1, updated_at=1000.0 - x) for x in range(200)})
    learner.take_changed()
    level = Drawn("4b1000", straight(1, 1, 38_000, 480, 90), fields={"category": "A3"})
    for sky in skies([level], 20):
        learner.update(Frame(sky))
    (key,) = learner.take_changed() - {(1, 198), (1, 199)}
    assert learner.learnt(key).levels == {76: 1}
    assert [x for x in range(200) if learner.learnt((1, x)) is None] == [198, 199]
    assert learner.count == 199
    assert len(learner.runways()[0]) == 198
    learner.forget()
    assert learner.count == len(learner.runways()[0]) == 0


def test_a_bin_that_is_full_counts_the_past_half():
    learner = Learner()
    learner.restore({(0, 0): Learnt({10: 131_070, 12: 65_535})})
    assert learner.learnt((0, 0)).levels == {10: 65_535, 12: 32_767}
    assert learner.learnt((0, 0)).floor_ft() == 5000


def test_what_is_learnt_of_simulated_aircraft_goes_with_the_first_real_one():
    def frame(*, simulated, lat):
        aircraft = {"hex": "4b1620", "lat": lat, "lon": 8.05, "alt_baro": 9000, "gs": 300, "category": "A3"}
        return Frame(sky_of({**aircraft, "baro_rate": 0, "simulated": simulated}))

    learner = Learner()
    learner.update(frame(simulated=True, lat=47.05))
    assert learner.learnt((470, 80)).simulated
    learner.update(frame(simulated=False, lat=48.05))
    assert learner.learnt((470, 80)) is None
    assert not learner.learnt((480, 80)).simulated
    learner.update(frame(simulated=True, lat=49.05))
    assert learner.learnt((490, 80)) is None
    learner.restore({(500, 80): Learnt({10: 1}, simulated=True), (501, 80): Learnt({10: 1})})
    assert (learner.learnt((500, 80)), learner.learnt((501, 80)).levels) == (None, {10: 1})
