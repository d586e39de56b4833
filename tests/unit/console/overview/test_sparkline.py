"""The small lines of the last 24 hours."""

from skywatch.console.overview.sparkline import HEIGHT, MARGIN, draw, lines_of
from skywatch.reception.series import SLOTS, Means, ReceiverSeries

BOTTOM, TOP = HEIGHT - MARGIN, MARGIN


def test_a_line_goes_from_nothing_to_the_greatest_value():
    line = draw([0.0, 10.0, 5.0])
    assert line.path == f"M0 {BOTTOM}h1L2 {TOP}L3 {(BOTTOM + TOP) / 2}"
    assert (line.most, line.last) == (10.0, 5.0)


def test_time_without_a_value_is_a_gap_and_a_value_by_itself_a_dash():
    line = draw([4.0, None, None, 4.0, None])
    assert line.path == f"M0 {TOP}h1M3 {TOP}h1"
    assert line.last is None


def test_silence_is_a_line_at_the_bottom_and_nothing_is_no_line():
    assert draw([0.0, 0.0]).path == f"M0 {BOTTOM}h1L2 {BOTTOM}"
    assert draw([None, None]) is None
    assert draw([]) is None


def test_military_aircraft_count_for_those_who_may_know_of_them():
    slots = [*[None] * (SLOTS - 1), Means(messages=3.0, aircraft=9.0, civil=7.0, samples=1)]
    reception = ReceiverSeries(1, {"roof": slots})
    assert lines_of(reception, "roof", military=True)["aircraft"].most == 9.0
    assert lines_of(reception, "roof", military=False)["aircraft"].most == 7.0
    assert lines_of(reception, "attic", military=True) == {"messages": None, "aircraft": None}
    assert lines_of(None, "roof", military=True)["messages"] is None
