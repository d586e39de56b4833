"""What keys do to the radar's list, and what becomes of it when aircraft come and go."""

from __future__ import annotations

import pytest

from skywatch.cli.radar.columns import MOVED_NM, Trends, altitude_ft, colour, matching, ordered
from skywatch.cli.radar.keys import Keys
from skywatch.cli.radar.view import SORTS, Screen

SKY = [
    {"hex": f"4b{n:04x}", "flight": f"SWR{n}", "distance_nm": float(n), "alt_baro": 1000 * n, "t": "A320"}
    for n in range(1, 41)
]


def listed(view, rows=10, sky=SKY):
    return [entry["hex"] for entry in view.arrange(sky, rows)]


def press(view, *keys, rows=10, sky=SKY):
    for key in keys:
        view.press(key)
        view.arrange(sky, rows)
    return view


@pytest.fixture
def view():
    found = Screen()
    found.arrange(SKY, 10)
    return found


def test_the_nearest_are_at_the_top_and_the_rest_is_counted(view):
    assert listed(view) == [entry["hex"] for entry in SKY[:10]]
    assert (view.above, view.below) == (0, 30)


def test_keys_move_the_selection_and_the_screen_follows(view):
    assert press(view, "down").selected == SKY[0]["hex"]
    assert press(view, *["down"] * 12).selected == SKY[12]["hex"]
    assert (view.above, view.below) == (3, 27)
    assert press(view, "end").selected == SKY[-1]["hex"]
    assert (view.above, view.below) == (30, 0)
    assert press(view, "page_up").selected == SKY[30]["hex"]
    assert view.above == 30
    assert press(view, "up", "home", "up").selected == SKY[0]["hex"]
    assert view.above == 0


def test_a_selection_stays_with_its_aircraft(view):
    press(view, "down", "down")
    chosen = SKY[1]["hex"]
    moved = [{**entry, "distance_nm": 99.0} if entry["hex"] == chosen else entry for entry in SKY]
    assert chosen in listed(view, sky=moved)
    assert view.selected == chosen
    assert view.above == 30


def test_details_end_with_an_aircraft_that_leaves(view):
    press(view, "down", "enter")
    assert view.details
    assert view.chosen() == SKY[0]
    assert listed(view, sky=SKY[1:])[0] == SKY[1]["hex"]
    assert (view.selected, view.details) == (None, False)


def test_enter_opens_and_closes_the_details_and_escape_leaves_step_by_step(view):
    press(view, "enter")
    assert (view.selected, view.details) == (SKY[0]["hex"], True)
    press(view, "enter")
    assert not view.details
    press(view, "enter", "?")
    assert view.help
    press(view, "escape")
    assert (view.help, view.details) == (False, True)
    press(view, "escape")
    assert (view.details, view.selected) == (False, SKY[0]["hex"])
    press(view, "escape")
    assert view.selected is None


def test_the_filter_takes_words_as_they_are_typed(view):
    press(view, "/", "s", "w", "r", "4", "x")
    assert listed(view) == []
    press(view, "backspace", "enter")
    assert {entry["flight"] for entry in view.listed} == {"SWR4", "SWR40"}
    # Keys are commands again.
    assert press(view, "q").ended
    assert press(view, "escape").filter == ""
    press(view, "/", "q", "escape")
    assert (view.typing, view.filter) == (False, "")


def test_words_are_found_in_every_field_and_must_all_be_there():
    aircraft = [
        {"hex": "1", "flight": "RCH1", "military": True, "squawk": "7700", "ownOp": "Air Force", "receiver": "roof"},
        {"hex": "2", "flight": "SWR1", "t": "A320", "desc": "AIRBUS A-320"},
    ]
    for words, expected in {
        "military": ["1"], "EMERGENCY force": ["1"], "airbus swr": ["2"], "roof a320": [], "": ["1", "2"],
    }.items():  # fmt: skip
        assert [entry["hex"] for entry in matching(aircraft, words)] == expected


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("descending", [False, True])
def test_what_is_not_known_comes_last_in_every_order(sort, descending):
    full = {
        "flight": "A", "r": "HB", "t": "A320", "alt_baro": 0, "gs": 0, "track": 0, "baro_rate": 0, "distance_nm": 0,
        "squawk": "0", "seen": 0, "route": "LSZH-EGLL",
    }  # fmt: skip
    found = ordered([{"hex": ""}, {"hex": "x", **full}], sort, descending)
    assert found[0]["hex"] == "x"


def test_sorting_goes_through_all_columns_and_back(view):
    seen = [view.sort]
    for _ in SORTS:
        seen.append(press(view, "s").sort)
    assert set(seen) == set(SORTS)
    assert press(view, "S", "S", "s").sort == seen[-2]
    view.sort = "altitude"
    assert listed(view)[0] == SKY[-1]["hex"]
    press(view, "r")
    assert listed(view)[0] == SKY[0]["hex"]


def test_units_change_in_turn(view):
    names = [press(view, "u").units_name for _ in range(3)]
    assert names == ["metric", "imperial", "aviation"]


def test_other_keys_do_nothing(view):
    before = Screen(**vars(view))
    press(view, "x", "é", "backspace")
    assert view == before


def test_names_of_keys():
    keys = Keys()
    assert keys.names(b"\x1b[A\x1bOB\x1b[5~\x1b[6~q\r\x7f") == [
        "up", "down", "page_up", "page_down", "q", "enter", "backspace",
    ]  # fmt: skip
    assert keys.names(b"\x1b") == ["escape"]
    # Unknown sequences are no keys, and a letter may arrive in two parts.
    assert keys.names(b"\x1b[15~\x1b[1;5Cx\xc3") == ["x"]
    assert keys.names(b"\xa9") == ["é"]


def test_colours_go_by_altitude():
    assert colour({"alt_baro": "ground"}) == "grey62"
    assert colour({}) == "default"
    shades = [colour({"alt_baro": altitude}) for altitude in (0, 10_000, 20_000, 40_000)]
    assert len(set(shades)) == 4
    assert colour({"alt_baro": 60_000}) == shades[-1]
    assert altitude_ft({"alt_geom": 500}) == 500
    assert altitude_ft({"alt_baro": "ground", "alt_geom": 500}) == 0


def test_a_distance_has_an_arrow_once_it_has_changed():
    trends = Trends(span_s=10)
    for at, distance, arrow in (
        (0, 10.0, ""),
        (5, 9.0, ""),
        (10, 8.0, "↓"),
        (20, 8.0 + MOVED_NM / 2, ""),
        (30, 9, "↑"),
    ):
        trends.update([{"hex": "a", "distance_nm": distance}, {"hex": "b"}], at)
        assert trends.distance("a") == arrow
    trends.update([], 40)
    trends.update([{"hex": "a", "distance_nm": 1.0}], 41)
    assert trends.distance("a") == ""
