"""The scope of the radar: where aircraft and rings are drawn, and what it leaves of the list."""

import pytest

from skywatch.cli.radar.columns import UNITS, Trends
from skywatch.cli.radar.scope import RANGES, auto_range, next_range, scope
from skywatch.cli.radar.table import screen
from skywatch.cli.radar.view import Screen
from tests.unit.cli.radar.test_table import SKY, shown

AVIATION = UNITS["aviation"]
COLUMNS, ROWS = 60, 30


def lines_of(*aircraft, reach=100, selected=None, units=AVIATION):
    return scope(list(aircraft), units, selected, reach, COLUMNS, ROWS).plain.split("\n")


def at(bearing, distance, name, **more):
    return {"hex": name, "flight": name, "bearing": bearing, "distance_nm": distance, **more}


def place(lines, text):
    [found] = [(row, line.index(text)) for row, line in enumerate(lines) if text in line]
    return found


@pytest.mark.parametrize(
    ("bearing", "dx", "dy"), [(0, 0, -1), (90, 1, 0), (180, 0, 1), (270, -1, 0), (45, 1, -1), (225, -1, 1)]
)
def test_an_aircraft_is_in_the_direction_of_its_bearing(bearing, dx, dy):
    row, column = place(lines_of(at(bearing, 60, "SWR1", track=90.0)), "→")
    for distance, direction in ((column - COLUMNS // 2, dx), (row - ROWS // 2, dy)):
        assert abs(distance) <= 1 if direction == 0 else distance * direction > 3


def test_an_aircraft_on_a_ring_is_at_its_distance():
    lines = lines_of(at(90, 50, "SWR1"), reach=100)
    _, near = place(lines, "•")
    _, edge = place(lines_of(at(90, 100, "SWR1"), reach=100), "•")
    assert near - COLUMNS / 2 == pytest.approx((edge - COLUMNS / 2) / 2, abs=1)
    assert all(text in "\n".join(lines) for text in ("25", "50", "75", "100 nm"))
    assert any("\u2800" < character <= "\u28ff" for line in lines for character in line)


def test_what_is_beyond_the_range_or_has_no_place_is_left_out():
    lines = lines_of(at(10, 101, "FAR"), {"hex": "4b0001", "flight": "NOWHERE"}, at(10, 99, "NEAR"))
    text = "\n".join(lines)
    assert "NEAR" in text
    assert "FAR" not in text
    assert "NOWHERE" not in text


def test_names_do_not_cover_each_other_and_the_selected_one_comes_first():
    crowd = [at(90, 50 + n / 10, f"SWR{n}", track=0.0) for n in range(9)]
    lines = lines_of(*crowd, selected="SWR8")
    assert "SWR8" in "\n".join(lines)
    assert all(len(line) == COLUMNS for line in lines)
    assert len(lines) == ROWS


def test_what_came_over_the_air_is_plain_text():
    assert "\x1b" not in "\n".join(lines_of(at(0, 10, "\x1b[31mX")))


@pytest.mark.parametrize(
    ("distances", "reach"), [([], 2), ([1.5], 2), ([3.0], 5), ([99.0], 100), ([*[40.0] * 99, 300.0], 40), ([9e9], 500)]
)
def test_the_range_shows_nearly_all(distances, reach):
    assert auto_range(distances) == reach


def test_ranges_go_up_and_down_and_end():
    assert next_range(100, 1) == 150
    assert next_range(100, -1) == 80
    assert next_range(100, 99) == max(RANGES)
    assert all(reach % step == 0 or reach == 150 for reach, step in RANGES.items())


def test_the_range_follows_the_aircraft_only_where_it_must():
    view = Screen()
    view.listed = [at(0, 90, "A")]
    assert view.scope_range() == 100
    view.listed = [at(0, 70, "A")]
    assert view.scope_range() == 100, "rings do not leap"
    view.listed = [at(0, 30, "A")]
    assert view.scope_range() == 40
    view.press("-")
    assert view.scope_range() == 60
    view.press("u")
    assert view.scope_range() == 80, "55.6 km, one step wider"


@pytest.mark.parametrize(("width", "height"), [(140, 40), (100, 30), (200, 50), (80, 24)])
@pytest.mark.parametrize("keys", [(), ("o",), ("o", "o"), ("down", "enter")])
def test_list_and_scope_fit_the_screen(width, height, keys):
    view, trends = Screen(), Trends()
    sky = [{**entry, "bearing": 7.0 * n % 360, "track": 90.0} for n, entry in enumerate(SKY)]
    for key in keys:
        screen(sky, "live", view, trends, width, height)
        view.press(key)
    text = shown(screen(sky, "live", view, trends, width, height), width, height)
    lines = text.splitlines()
    assert len(lines) <= height
    assert "200 aircraft (live)" in text
    has_scope, has_list = ("150" in text and "⠂" in text) or "⠁" in text, "Callsign" in text
    if keys == ("o",):
        assert has_scope
        assert not has_list
    elif keys == ("o", "o") or width < (120 if "enter" in keys else 98):
        assert has_list
        assert not has_scope
    else:
        assert has_list
        assert has_scope


def test_the_number_that_match_a_filter_is_of_this_picture():
    view = Screen(filter="swr19")
    text = shown(screen(SKY, "live", view, Trends(), 140, 40), 140, 40)
    assert "11 match" in text
