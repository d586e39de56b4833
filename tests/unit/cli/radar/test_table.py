"""What the list in the terminal shows in the room there is."""

import io

import pytest
from rich.console import Console

from skywatch.cli.radar.columns import COLUMNS, UNITS, Trends
from skywatch.cli.radar.table import screen, table, whole
from skywatch.cli.radar.view import Screen

AIRCRAFT = [
    {
        "hex": "4b1620",
        "flight": "SWR123AB",
        "r": "HB-IJS",
        "t": "A320",
        "alt_baro": 34975,
        "gs": 451.2,
        "track": 271.0,
        "baro_rate": -1856,
        "distance_nm": 1234.5,
        "bearing": 12.0,
        "squawk": "7000",
        "seen": 0.4,
        "lat": 47.5,
        "lon": 8.5,
        "receiver": "roof",
        "route": "LSZH-EGLL",
    },
    {"hex": "~c88001", "alt_baro": "ground"},
]
SKY = [{"hex": f"4b{n:04x}", "flight": f"SWR{n}", "distance_nm": float(n), "alt_baro": 1000} for n in range(200)]
KEYS = "↑↓ select"


def shown(renderable, width, height=None, colours=False):
    console = Console(file=io.StringIO(), width=width, height=height, color_system="truecolor" if colours else None)
    console.print(renderable)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_nothing_that_is_shown_is_cut_short(width):
    text = shown(table(AIRCRAFT, width), width)
    assert "…" not in text
    for value in ("SWR123AB", "4b1620", "~c88001", "34,975 ft ↓", "ground", "1,234.5 nm".replace(",", "")):
        assert value in text


def test_columns_are_left_out_only_where_there_is_no_room():
    titles = [column.title for column in COLUMNS.values()]
    wide, narrow = shown(table(AIRCRAFT, 140), 140), shown(table(AIRCRAFT, 80), 80)
    assert all(title in wide for title in titles)
    assert "Track" not in narrow
    assert all(title in narrow for title in ("Callsign", "Type", "Altitude", "Speed", "Distance", "Squawk"))


def test_units():
    metric = shown(table(AIRCRAFT, 140, UNITS["metric"]), 140)
    assert all(value in metric for value in ("10,660 m ↓", "836 km/h", "2286.3 km", "-9.4 m/s"))
    imperial = shown(table(AIRCRAFT, 140, UNITS["imperial"]), 140)
    assert all(value in imperial for value in ("34,975 ft", "519 mph", "1420.6 mi"))


@pytest.mark.parametrize(("width", "height"), [(100, 30), (80, 24), (60, 12), (40, 8)])
@pytest.mark.parametrize("keys", [(), ("down",), ("down", "enter"), ("/", "s"), ("end",)])
def test_a_screen_fits_and_says_what_is_not_on_it(width, height, keys):
    view, trends = Screen(), Trends()
    screen(SKY, "live", view, trends, width, height)
    for key in keys:
        view.press(key)
        screen(SKY, "live", view, trends, width, height)
    text = shown(screen(SKY, "live", view, trends, width, height), width, height)
    assert len(text.splitlines()) <= height
    assert "200 aircraft (live)" in text
    if "enter" in keys:
        assert "SWR0" in text
    elif "end" in keys:
        assert f"↑ {200 - (height - 5)} more" in text
    else:
        assert f"↓ {200 - (height - 5)} more" in text
    assert ("filter: s" in text) == ("/" in keys)


def test_details_of_the_selected_aircraft():
    view = Screen()
    view.arrange(AIRCRAFT, 10)
    view.press("enter")
    text = shown(screen(AIRCRAFT, "live", view, Trends(), 100, 40), 100, 40)
    for value in ("HB-IJS", "47.5000, 8.5000", "1234.5 nm at 12°", "roof", "-1,856 ft/min", "0.4 s ago"):
        assert value in text
    assert KEYS in text


def test_the_help_names_every_key():
    view = Screen()
    view.press("?")
    text = shown(screen(AIRCRAFT, "live", view, Trends(), 100, 30), 100, 30)
    assert all(word in text for word in ("PgUp", "Enter", "Esc", "filter", "reverse", "quit"))


def test_colours_are_altitudes_emergencies_red_and_the_selection_reversed():
    rows = [{"hex": "a", "alt_baro": 40_000}, {"hex": "b", "alt_baro": 100}, {"hex": "c", "squawk": "7700"}]
    lines = shown(table(rows, 100, selected="b"), 100, colours=True).splitlines()
    high, low, emergency = (next(line for line in lines if name in line) for name in ("40,000", "100 ft", "7700"))
    assert "38;2;" in high
    assert "7m" in low or ";7;" in low
    assert "1;31m" in emergency
    assert "38;2;" not in emergency


def test_an_emergency_that_only_one_feeder_has_heard_is_not_red_and_says_so():
    ghost = {"hex": "700001", "squawk": "7700", "single_source": True}
    assert "1;31m" not in shown(table([ghost], 100), 100, colours=True)
    view = Screen()
    view.arrange([ghost], 10)
    view.press("enter")
    assert "heard by one feeder only" in shown(screen([ghost], "live", view, Trends(), 100, 40), 100, 40)


def test_everything_at_once_where_nobody_scrolls():
    text = shown(whole(SKY, "live", Screen(filter="swr1"), 100), 100)
    assert "200 aircraft (live) · 111 match “swr1”" in text
    assert sum("SWR1" in line for line in text.splitlines()) == 111
    assert KEYS not in text


def test_what_comes_over_the_air_is_text():
    text = shown(table([{"hex": "a", "flight": "A\x1b[2JB"}], 80), 80)
    assert "\x1b" not in text
    assert "A[2JB" in text
