"""What is remembered of the local pressure is bounded by places and values."""

from skywatch.airports import pressure
from skywatch.airports.pressure import ValuesByCell


def test_the_cell_that_learnt_longest_ago_goes_first(monkeypatch):
    monkeypatch.setattr(pressure, "MOST_CELLS", 3)
    values = ValuesByCell()
    for lon in (0.5, 10.5, 20.5):
        values.add(47.5, lon, at=0.0, value=lon)
    values.add(47.5, 0.5, at=1.0, value=0.5)
    values.add(47.5, 30.5, at=2.0, value=30.5)
    assert len(values) == 3
    assert values.median(47.5, 0.5, since=0.0) == 0.5
    assert values.median(47.5, 10.5, since=0.0) is None
    assert values.median(47.5, 20.5, since=0.0) == 20.5


def test_a_cell_keeps_its_newest_values():
    values = ValuesByCell()
    for at in range(1_000):
        values.add(47.5, 8.5, at=float(at), value=float(at))
    # The median of the last forty.
    assert values.median(47.5, 8.5, since=0.0) == 979.5


def test_the_cells_around_count_where_the_own_one_has_nothing():
    values = ValuesByCell()
    values.add(47.5, 8.5, at=0.0, value=-200.0)
    assert values.median(48.5, 7.5, since=0.0) == -200.0
    assert values.median(49.5, 8.5, since=0.0) is None
