"""The range outline, made of slices of history."""

import numpy as np

from skywatch.history.storage.points import DEGREES, POINT
from skywatch.readsb.tar1090 import outline
from skywatch.readsb.tar1090.outline import RangeOutline

NOW = 1_800_000_000.0
PLACES = [(47.5, 9.5), (47.5, 10.5), (47.5, 7.0)]


def points():
    made = np.zeros(len(PLACES), POINT)
    made["lat"], made["lon"] = (np.round(np.array(PLACES) / DEGREES)).T
    made["alt"], made["source"] = 2000, 1
    return made


def stored(*slices):
    """What reads a history of these slices; ``asked`` are the spans."""

    def read(session, span):
        read.asked.append((span.begin, span.end))
        return [(at, points()) for at in slices if span.begin <= at <= span.end]

    read.asked = []
    return read


def test_a_full_day_is_read_over_several_answers_and_each_slice_once(monkeypatch):
    clock = [0.0]
    final_until = outline.slice_of(NOW - outline.FINAL_AFTER_S)
    oldest = outline.slice_of(NOW - outline.SPAN_S)
    read = stored(oldest)
    monkeypatch.setattr(outline, "read_slices", read)
    # Four times as much as one answer reads is left each time.
    monkeypatch.setattr(outline, "one_slice_in", lambda session, span, most: 4)
    made = RangeOutline(lambda: clock[0])
    answers = 0
    while not made.points(None, (47.5, 8.0), NOW, True, simulated=False):
        clock[0] += outline.FRESH_S
        answers += 1
        assert answers < 100
    finals = [span for span in read.asked if span[1] != NOW]
    assert finals[0][1] == final_until - outline.SLICE_S
    assert finals[-1][0] == oldest
    # Each begins where the one before it, which was of later slices, ended.
    assert [begin for begin, _ in finals[:-1]] == [end + outline.SLICE_S for _, end in finals[1:]]


def test_the_outline_follows_a_station_that_is_moved(monkeypatch):
    at = outline.slice_of(NOW - 7200)
    monkeypatch.setattr(outline, "read_slices", stored(at))
    monkeypatch.setattr(outline, "one_slice_in", lambda session, span, most: 1)
    made = RangeOutline()
    assert made.points(None, (47.5, 8.0), NOW, True, simulated=False) == [(47.5, 10.5, 10000), (47.5, 7.0, 10000)]
    # What was kept of old slices was measured from the old place.
    moved = made.points(None, (47.5, 10.0), NOW, True, simulated=False)
    assert {lon for _, lon, _ in moved} == {7.0, 9.5, 10.5}
    assert moved == RangeOutline().points(None, (47.5, 10.0), NOW, True, simulated=False)
