"""Learnt places are stored in few statements, however many cells changed, and read as they were."""

import sqlalchemy as sa

from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.database.models import Base
from skywatch.safety.detection.learnt_places import Learner, Learnt
from skywatch.safety.places.storage import BATCH, read, store
from tests.statements import counting


def test_changed_cells_are_replaced_in_two_statements(tmp_path):
    engine = create_engine(f"sqlite:///{tmp_path}/places.sqlite")
    Base.metadata.create_all(engine)
    sessions, learner = create_session_factory(engine), Learner()
    cells = {(y, x): Learnt({10: y + 1}, None, 0, 1.0) for y in range(3) for x in range(BATCH // 2)}
    learner.cells.update(cells)
    learner.put_back(cells)
    store(sessions, learner)
    for learnt in cells.values():
        learnt.levels[10] += 5
    learner.put_back(cells)
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
