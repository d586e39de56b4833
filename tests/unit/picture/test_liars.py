"""A receiver that lies, in whatever it says and however often it speaks, next to an honest one.

Both speak the formats of real receivers: the honest one is a document of readsb once a second, the liar lines of SBS
several times a second or a document that is always the latest.
"""

from __future__ import annotations

import json
import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skywatch.core import geo
from skywatch.picture.picture import Picture
from skywatch.receivers.formats.sbs import SbsDecoder
from skywatch.receivers.reports.documents import DocumentReader
from tests.unit.picture.reports import START, Clock, picture_at, snapshot

STATION = (47.45, 8.56)
FIELDS = {"callsign": "flight", "squawk": "squawk", "altitude": "alt_baro", "speed": "gs"}


class Traffic:
    """Aircraft that fly straight on near the station."""

    def __init__(self, count: int) -> None:
        self.aircraft = [
            {"hex": f"4b16{n:02x}", "flight": f"SWR{100 + n}", "squawk": f"3{n // 8}{n % 8}1",
             "alt_baro": 20000 + 500 * n, "gs": 380.0 + 7 * n,
             "track": float(37 * n % 360), "lat": 47.0 + n / 10, "lon": 8.0 + n / 10}
            for n in range(count)
        ]  # fmt: skip

    def advance(self, seconds: float) -> None:
        for a in self.aircraft:
            a["lat"], a["lon"] = map(float, geo.destination(a["lat"], a["lon"], a["track"], a["gs"] * seconds / 3600))


class Inputs:
    """The picture behind the decoders of real inputs."""

    def __init__(self, picture: Picture, clock: Clock) -> None:
        self.picture, self.clock = picture, clock
        self._documents: dict[str, DocumentReader] = {}
        self._lines: dict[str, SbsDecoder] = {}

    def document(self, name: str, aircraft: list[dict], at: float | None = None) -> None:
        now = self.clock.time() if at is None else at
        reader = self._documents.setdefault(name, DocumentReader(Counter()))
        body = {
            "now": now,
            "messages": 1,
            "aircraft": [{"type": "adsb_icao", "seen": 0.1, "seen_pos": 0.1, "messages": 9, **a} for a in aircraft],
        }
        heard = reader.read(json.dumps(body).encode(), now)
        self.picture.put(name, heard.reports, heard.messages)

    def lines(self, name: str, aircraft: list[dict]) -> None:
        decoder = self._lines.setdefault(name, SbsDecoder(Counter()))
        at = time.strftime("%Y/%m/%d,%H:%M:%S.000", time.gmtime(self.clock.time()))
        text = "".join(
            f"MSG,3,1,1,{a['hex']},1,{at},{at},{a.get('flight', '')},{a.get('alt_baro', '')},{a.get('gs', '')},"
            f"{a.get('track', '')},{a.get('lat', '')},{a.get('lon', '')},,{a.get('squawk', '')},0,0,0,0\r\n"
            for a in aircraft
        )
        heard = decoder.feed(text.encode(), self.clock.time())
        self.picture.put(name, heard.reports, heard.messages)


def lie(boolean_label: list[dict], kinds: set[str], shared_values: bool, chance: int) -> list[dict]:
    """What the liar says: wrong in these kinds, one value for all aircraft or one for each."""
    told = []
    for n, a in enumerate(boolean_label):
        a = dict(a)
        own = 0 if shared_values else n
        if "callsign" in kinds:
            a["flight"] = f"EVIL{own}"
        if "squawk" in kinds:
            a["squawk"] = "7700" if shared_values else f"75{n % 8}0"
        if "altitude" in kinds:
            a["alt_baro"] = 3000 + 10 * own
        if "speed" in kinds:
            a["gs"] = 100.0 + own
        if "position" in kinds:
            a["lat"] += 2.0 + chance % 3
        told.append(a)
    return told


def run(count, kinds, shared_values, chance, lines, honest=("roof",), before=0, seconds=6):
    """The clock, the traffic and the skies from the moment on at which the liar has spoken."""
    clock = Clock()
    inputs, traffic, skies = Inputs(picture_at(clock, station=STATION), clock), Traffic(count), []
    for second in range(before + seconds):
        for name in honest:
            inputs.document(name, traffic.aircraft)
        for _ in range(5):
            clock.advance(0.2)
            traffic.advance(0.2)
            if second >= before:
                told = lie(traffic.aircraft, kinds, shared_values, chance)
                (inputs.lines if lines else inputs.document)("liar", told)
        sky = inputs.picture.tick()
        if second >= before:
            skies.append(sky)
    return traffic, skies, inputs.picture


KINDS = st.sets(st.sampled_from([*FIELDS, "position"]), min_size=1)


def assert_no_lie(traffic, skies, kinds, *, shown: bool) -> None:
    """Nothing of the liar's is shown; with ``shown`` what the honest one says is, else it may be disputed."""
    for sky in skies:
        for number, boolean_label in enumerate(traffic.aircraft):
            aircraft = sky.aircraft(boolean_label["hex"])
            for kind, name in FIELDS.items():
                if name in aircraft:
                    assert aircraft[name] == boolean_label[name], (kind, number, aircraft)
                else:
                    assert not shown, (kind, number, aircraft)
                    assert kind in aircraft["disputed"], (kind, number, aircraft)
            if "lat" in aircraft:
                assert geo.distance_nm(aircraft["lat"], aircraft["lon"], boolean_label["lat"], boolean_label["lon"]) < 3
            else:
                assert not shown, aircraft
                assert "position" in aircraft["disputed"], aircraft


@pytest.mark.deep("costs over a processor second")
@settings(max_examples=20, deadline=None)
@given(count=st.integers(1, 12), kinds=KINDS, shared=st.booleans(), chance=st.integers(0, 9), lines=st.booleans())
def test_two_honest_receivers_outvote_a_liar_who_speaks_oftener(count, kinds, shared, chance, lines):
    traffic, skies, _ = run(count, kinds, shared, chance, lines, honest=("roof", "shed"))
    assert_no_lie(traffic, skies, kinds, shown=True)


@pytest.mark.deep("costs over a processor second")
@settings(max_examples=20, deadline=None)
@given(count=st.integers(1, 12), kinds=KINDS, shared=st.booleans(), chance=st.integers(0, 9), lines=st.booleans())
def test_one_liar_and_one_honest_receiver_is_never_believed(count, kinds, shared, chance, lines):
    traffic, skies, _ = run(count, kinds, shared, chance, lines)
    assert_no_lie(traffic, skies, kinds, shown=False)


@pytest.mark.parametrize("lines", [True, False])
def test_a_liar_who_gives_all_aircraft_one_value_is_found_out(lines):
    traffic, skies, picture = run(8, set(FIELDS), True, 0, lines, seconds=20)
    assert_no_lie(traffic, skies, set(FIELDS), shown=True)
    assert picture.validator.is_distrusted("liar")
    assert not picture.validator.is_distrusted("roof")
    assert picture.validator.implausible["liar"]["contradicted"] > 0
    assert "roof" not in picture.validator.implausible


def test_of_two_places_from_the_start_the_one_that_the_station_can_hear_is_believed():
    clock = Clock()
    picture = picture_at(clock, station=STATION)
    for _ in range(3):
        for name, lat in (("roof", 47.0), ("liar", -30.0)):
            report = snapshot(
                "4b1620",
                clock.time(),
                lat=lat,
                lon=8.0,
                flight=name.upper(),
                squawk="7700" if name == "liar" else "1000",
            )
            picture.put(name, [report], 1)
        aircraft = picture.tick().aircraft("4b1620")
        assert aircraft["lat"] == 47.0
        clock.advance(1)
    # Who is refused in the position is not believed in anything else of that aircraft.
    assert (aircraft["flight"], aircraft["squawk"]) == ("ROOF", "1000")
    assert "disputed" not in aircraft


def test_a_low_aircraft_beyond_the_horizon_is_implausible():
    clock = Clock()
    picture = picture_at(clock, station=STATION)
    far = {"lat": 49.9, "lon": 8.56}  # 147 nm
    for name, altitude in (("roof", 35000), ("liar", 900)):
        picture.put(name, [snapshot("4b1620", START, alt_baro=altitude, **far)], 1)
    assert picture.tick().aircraft("4b1620")["alt_baro"] == 35000


def test_the_horizon_is_that_of_the_receiver_not_of_the_station():
    clock = Clock()
    picture = picture_at(clock, station=STATION)
    picture.places["coast"] = (49.9, 8.0)
    far = {"lat": 49.9, "lon": 8.56}  # 147 nm from the station, 22 nm from the coast
    for name, altitude in (("coast", 900), ("roof", 3000)):
        picture.put(name, [snapshot("4b1620", START, alt_baro=altitude, **far)], 1)
    assert picture.tick().aircraft("4b1620")["alt_baro"] == 900


def test_what_nothing_decides_is_disputed_and_given_to_nobody():
    clock = Clock()
    picture = picture_at(clock, station=None)
    for _ in range(3):
        picture.put("a", [snapshot("4b1620", clock.time(), lat=47.0, lon=8.0, squawk="1000", category="A3")], 1)
        picture.put("b", [snapshot("4b1620", clock.time(), lat=52.0, lon=8.0, squawk="7700", alt_baro=9000)], 1)
        sky = picture.tick()
        aircraft = sky.aircraft("4b1620")
        assert aircraft["disputed"] == ["position", "squawk"]
        assert not {"lat", "lon", "squawk"} & set(aircraft)
        assert not sky.columns["emergency"][0]
        # What only one of them says is no contradiction.
        assert (aircraft["category"], aircraft["alt_baro"]) == ("A3", 9000)
        clock.advance(1)
    assert not picture.validator.is_distrusted("a")
    assert not picture.validator.is_distrusted("b")


def test_a_change_that_one_of_two_receives_first_is_shown_at_once():
    clock = Clock()
    picture = picture_at(clock, station=STATION)
    said = {"a": "1000", "b": "1000"}

    def tick():
        clock.advance(1)
        for name, squawk in said.items():
            others = [snapshot(f"4b17{n:02x}", clock.time(), squawk=f"41{n:02}") for n in range(8)]
            picture.put(name, [snapshot("4b1620", clock.time(), squawk=squawk), *others], 9)
        return picture.tick().aircraft("4b1620").get("squawk")

    assert tick() == "1000"
    said["a"] = "7700"
    assert [tick() for _ in range(30)] == ["7700"] * 30
    said["b"] = "7700"
    assert tick() == "7700"
    # Where the other one never follows, there is no telling.
    said["a"] = "2000"
    assert tick() == "2000"
    assert [tick() for _ in range(70)][-1] is None


@settings(max_examples=8, deadline=None)
@given(kinds=KINDS, shared=st.booleans(), lines=st.booleans())
def test_a_receiver_that_turns_liar_is_not_believed(kinds, shared, lines):
    """Several aircraft change at one receiver at once: no such change is real."""
    traffic, skies, _ = run(8, kinds, shared, 1, lines, before=5)
    assert_no_lie(traffic, skies, kinds, shown=False)
