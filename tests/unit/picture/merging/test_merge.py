"""Several receivers, one aircraft: the freshest of the most trusted wins, field group by field group."""

from __future__ import annotations

import itertools

import pytest

from skywatch.picture.merging.field_validator import FieldValidator
from skywatch.picture.merging.presence import CONTESTED_VOICES
from skywatch.picture.merging.receiver_views import ReceiverViews
from skywatch.picture.merging.tick_merge import gather
from skywatch.picture.positions.validator import PositionValidator
from skywatch.picture.state.fields import CONTESTED_S
from skywatch.picture.state.receiver_view import FieldState, ReceiverView
from skywatch.receivers.feeder_streams.voices import SEVERAL, Voice
from skywatch.receivers.reports.receiver_names import FEEDERS
from tests.unit.picture.reports import START, Clock, increment, picture_at, snapshot

STRANGERS = [Voice(f"user-{number}", f"10.0.{number}.1/32") for number in range(CONTESTED_VOICES)]


@pytest.fixture
def clock():
    return Clock()


def told(clock, *said):
    """The aircraft after one tick, the same for every order in which the receivers spoke."""
    outcomes = []
    for order in itertools.permutations(said):
        picture = picture_at(clock)
        for receiver, report in order:
            picture.put(receiver, [report], 1)
        outcomes.append(picture.tick().aircraft("4b1620"))
    assert all(outcome == outcomes[0] for outcome in outcomes)
    return outcomes[0]


def test_ads_b_wins_over_mlat_and_mode_s_while_it_is_fresh(clock):
    clock.advance(20)
    now = clock.time()
    mode_s = ("a", snapshot("4b1620", now, type="mode_s", alt_baro=2000, squawk="1000"))
    mlat = (
        "b",
        snapshot("4b1620", now - 1, type="mlat", alt_baro=3000, gs=100.0, lat=47.1, lon=8.0, mlat=["lat", "gs"]),
    )
    adsb = ("c", snapshot("4b1620", now - 14, alt_baro=4000, lat=47.0, lon=8.0, flight="SWR1"))
    aircraft = told(clock, mode_s, mlat, adsb)
    assert (aircraft["alt_baro"], aircraft["lat"], aircraft["receiver"]) == (4000, 47.0, "c")
    assert (aircraft["squawk"], aircraft["flight"], aircraft["gs"]) == ("1000", "SWR1", 100.0)
    assert aircraft["seen"] == 0.0
    assert aircraft["mlat"] == ["gs"]
    stale = ("c", snapshot("4b1620", now - 16, alt_baro=4000, lat=47.0, lon=8.0, flight="SWR1"))
    aircraft = told(clock, mode_s, mlat, stale)
    assert (aircraft["alt_baro"], aircraft["lat"], aircraft["receiver"]) == (3000, 47.1, "b")
    assert aircraft["flight"] == "SWR1"


def test_of_equals_the_freshest_wins_and_the_other_fills_in(clock):
    clock.advance(5)
    older = ("a", snapshot("4b1620", START + 1, alt_baro=1000, track=10.0, squawk="1000", messages=5, r="HB-IJS"))
    newer = ("b", snapshot("4b1620", START + 4, alt_baro=1100, gs=99.0, messages=7))
    aircraft = told(clock, older, newer)
    assert aircraft["alt_baro"] == 1100
    assert (aircraft["squawk"], aircraft["r"], aircraft["messages"], aircraft["seen"]) == ("1000", "HB-IJS", 12, 1.0)


def test_what_belongs_together_comes_from_one_receiver_with_its_time(clock):
    clock.advance(5)
    older = snapshot("4b1620", START + 1, gs=99.0, track=10.0, alt_baro=1000)
    newer = snapshot("4b1620", START + 4, track=20.0)
    aircraft = told(clock, ("a", older), ("b", newer))
    assert (aircraft["track"], aircraft["alt_baro"]) == (20.0, 1000)
    assert "gs" not in aircraft
    picture = picture_at(clock)
    for receiver, report in (("a", older), ("b", newer)):
        picture.put(receiver, [report], 1)
    sky = picture.tick()
    assert (sky.columns["seen_at"].tolist(), sky.columns["altitude_at"].tolist()) == ([START + 4], [START + 1])


@pytest.mark.parametrize(("late_s", "shown"), [(0.6, 1000), (1.6, 2000)])
def test_of_a_second_the_order_in_which_messages_arrive_does_not_matter(clock, late_s, shown):
    clock.advance(2)
    picture = picture_at(clock)
    picture.put("raw", [increment("4b1620", START + 2, type="mode_s", alt_baro=2000)], 1)
    picture.put("raw", [increment("4b1620", START + 2 - late_s, alt_baro=1000)], 1)
    assert picture.tick().aircraft("4b1620")["alt_baro"] == shown


def test_of_two_positions_the_later_one_wins_whoever_spoke_last(clock):
    """A snapshot repeats a position that was received long before; it is as old as it was received."""
    picture = picture_at(clock)
    picture.put("roof", [snapshot("4b1620", START, lat=47.0, lon=8.0, position_at=START - 8)], 1)
    picture.put("attic", [snapshot("4b1620", START - 1, lat=47.01, lon=8.0, position_at=START - 2)], 1)
    aircraft = picture.tick().aircraft("4b1620")
    assert (aircraft["lat"], aircraft["seen_pos"]) == (47.01, 2.0)


def test_a_field_that_is_multilaterated_counts_as_such_in_a_report_of_ads_b(clock):
    adsb = ("a", snapshot("4b1620", START - 3, alt_baro=1000, gs=100.0, track=10.0))
    mixed = ("b", snapshot("4b1620", START, alt_baro=1100, gs=200.0, track=20.0, mlat=["gs", "track"]))
    aircraft = told(clock, adsb, mixed)
    assert (aircraft["alt_baro"], aircraft["gs"], aircraft["track"]) == (1100, 100.0, 10.0)


def test_increments_and_snapshots_merge_by_the_time_of_each_field(clock):
    picture = picture_at(clock)
    picture.put("raw", [increment("4b1620", START, squawk="1000")], 1)
    picture.put("net", [snapshot("4b1620", START, squawk="1000")], 1)
    picture.tick()
    clock.advance(9)
    picture.put("raw", [increment("4b1620", START + 8, alt_baro=900)], 1)
    picture.put("net", [snapshot("4b1620", START + 5, squawk="2000", alt_baro=800)], 1)
    sky = picture.tick()
    aircraft = sky.aircraft("4b1620")
    assert (aircraft["squawk"], aircraft["alt_baro"]) == ("2000", 900)
    assert sky.columns["squawk_at"].tolist() == [START + 5]
    assert sky.columns["altitude_at"].tolist() == [START + 8]


def test_within_a_receiver_a_less_trusted_message_waits_until_the_better_is_stale(clock):
    picture = picture_at(clock)
    picture.put("raw", [increment("4b1620", START, alt_baro=1000)], 1)
    picture.put("raw", [increment("4b1620", START + 1, type="tisb_icao", alt_baro=2000)], 1)
    assert picture.tick().aircraft("4b1620")["alt_baro"] == 1000
    clock.advance(16)
    picture.put("raw", [increment("4b1620", START + 16, type="tisb_icao", alt_baro=2000)], 1)
    aircraft = picture.tick().aircraft("4b1620")
    assert (aircraft["alt_baro"], aircraft["type"]) == (2000, "tisb_icao")
    picture.put("raw", [increment("4b1620", START + 2, type="adsb_icao", alt_baro=1500)], 1)
    assert picture.tick().aircraft("4b1620")["alt_baro"] == 2000, "what comes late is not the newest"


def test_an_aircraft_that_one_receiver_loses_stays_with_the_other(clock):
    picture = picture_at(clock)
    picture.put("a", [snapshot("4b1620", START, flight="SWR1", lat=47.0, lon=8.0)], 1)
    picture.put("b", [snapshot("4b1620", START, squawk="1000")], 1)
    first = picture.tick()
    for _ in range(70):
        clock.advance(1)
        picture.put("b", [snapshot("4b1620", clock.time(), squawk="1000")], 1)
        sky = picture.tick()
        assert sky.left == ()
    assert sky.columns["first_seen"].tolist() == first.columns["first_seen"].tolist()
    assert "lat" not in sky.aircraft("4b1620")
    assert sky.aircraft("4b1620")["receiver"] == "b"


@pytest.mark.parametrize(("age_s", "shown"), [(CONTESTED_S, 1000), (CONTESTED_S + 0.1, 2000)])
def test_what_feeders_agree_on_stands_for_its_time_against_one_stranger(age_s, shown):
    agreed = ReceiverView(
        "4b1620", START, type="adsb_icao", alt_baro=1000, heard={"alt_baro": FieldState(START, 0)}, voices=2
    )
    now = START + age_s
    books = [ReceiverViews(FEEDERS, 0, SEVERAL)]
    books[0].restore([agreed])
    for number in range(CONTESTED_VOICES):
        books.append(ReceiverViews(f"feeder-{number}", 1 + number, STRANGERS[number]))
        books[-1].put([increment("4b1620", now, **{"alt_baro": 2000} if number == 0 else {})], ["4b1620"])
    validator = FieldValidator(PositionValidator({}, None))
    gathered = gather(books, {}, now, {True: validator, False: validator}, [book.name for book in books])
    assert gathered.contested.tolist() == [True]
    assert gathered.values["alt_baro"] == [shown]


@pytest.mark.parametrize("make", [snapshot, increment])
@pytest.mark.parametrize(("alarming", "shown"), [(1, None), (2, "general")])
def test_where_three_strangers_hear_an_aircraft_two_of_them_must_say_an_alarm(clock, make, alarming, shown):
    picture = picture_at(clock)
    for number, voice in enumerate(STRANGERS):
        said = {"emergency": "general"} if number < alarming else {}
        picture.put(f"feeder-{number}", [make("4b1620", START, alt_baro=1000, **said)], 1, voice=voice)
    assert picture.tick().aircraft("4b1620").get("emergency") == shown


def test_a_signal_that_the_last_receiver_does_not_measure_is_that_of_the_one_before(clock):
    older = snapshot("4b1620", START - 1, squawk="1000", rssi=-12.5)
    newest = increment("4b1620", START, category="A3")
    oldest = snapshot("4b1620", START - 2, squawk="1000", rssi=-3.0)
    aircraft = told(clock, ("a", older), ("b", newest), ("c", oldest))
    assert (aircraft["category"], aircraft["rssi"]) == ("A3", -12.5)


def test_what_ours_say_is_as_old_as_it_is_although_strangers_hear_the_aircraft(clock):
    picture = picture_at(clock)
    picture.put("roof", [snapshot("4b1620", START, alt_baro=1000)], 1)
    clock.advance(5)
    picture.put("feeder-1", [snapshot("4b1620", START + 5, squawk="1000")], 1, voice=STRANGERS[0])
    columns = picture.tick().columns
    assert [columns[name].tolist() for name in ("altitude_at", "squawk_at", "seen_at")] == [
        [START], [START + 5], [START + 5],
    ]  # fmt: skip


def test_what_a_field_was_multilaterated_once_says_nothing_of_what_it_is_now():
    """A view that collects what a receiver says has a source for each field; its list is that of the last message."""
    view = ReceiverView("4b1620", START, type="adsb_icao", gs=200.0, heard={"gs": FieldState(START, 0)}, mlat=["gs"])
    books = [ReceiverViews("roof", 0), ReceiverViews("far", 1)]
    books[0].restore([view])
    books[1].put([snapshot("4b1620", START - 10, gs=100.0)], ["4b1620"])
    validator = FieldValidator(PositionValidator({}, None))
    gathered = gather(books, {}, START, {True: validator, False: validator}, [book.name for book in books])
    assert gathered.values["gs"] == [200.0]
