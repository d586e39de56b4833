"""Whose voice: what ours say of an aircraft is not replaced while it is fresh by what strangers say.

The property is shown in drawn worlds: with any number of strangers of any number of owners, what an own receiver says
is shown as it is without them. Once with reports that come one by one, and once with frames that ingest processes
gather, decode and reduce, where ours are an own receiver or trusted feeders.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import UNSET

from benchmarks._drawn_flights import KINDS, Traffic
from benchmarks._liars import FeederSpec, IngestProcess, LiarWorld
from skywatch.picture.picture import Picture
from skywatch.picture.state.doubt import EMERGENCY, doubt_of
from skywatch.picture.state.fields import AIRFRAME_FIELDS
from skywatch.receivers.feeder_streams.feeder import KnownFeeder
from skywatch.receivers.feeder_streams.reducer.reports import AGREED_RECEIVER, TRUSTED_RECEIVER
from skywatch.receivers.feeder_streams.voices import SEVERAL, Voice
from skywatch.receivers.formats.frames import FrameReports
from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.framing.frames import FrameBatch
from skywatch.receivers.mode_s.encoder import beast
from skywatch.receivers.reports.report import ReducedReport, Report

START = 1_790_000_000.0
ADDRESS, INVENTED = "400001", "700001"
TRUE = {"flight": "SWR12", "squawk": "1000", "emergency": "none", "alt_baro": 30_000, "gs": 400.0, "track": 90.0}
LIE = {
    "flight": "EVIL", "squawk": "7700", "emergency": "general", "alt_baro": 9_000, "gs": 100.0, "track": 10.0,
    "dbFlags": 1, "r": "EVIL", "t": "F16", "desc": "evil", "ownOp": "evil", "year": "1999",
}  # fmt: skip
DISPUTES = {"position", "callsign", "squawk", "emergency", "altitude", "speed"}
FRESH_S = 15.0
# The first worlds show a fault of the rules; the others are repetition.
FURTHER = pytest.mark.nightly("further drawn worlds")


class Sky:
    """A picture in seconds; ``own`` and ``stranger`` report to it."""

    def __init__(self) -> None:
        self.now = START
        self.picture = Picture(clock=lambda: self.now, monotonic=lambda: self.now)

    def report(self, snapshot: bool, **values: Any) -> Report:
        at = self.now if "lat" in values else 0.0
        fields = {"hex": ADDRESS, "type": "adsb_icao", "messages": 2} | values
        return Report(at=self.now, position_at=at, snapshot=snapshot, **fields)

    def own(self, snapshot: bool = False, **values: Any) -> None:
        self.picture.put("roof", [self.report(snapshot, **values)], 1)

    def stranger(self, number: int, owner: int | None = None, snapshot: bool = False, **values: Any) -> None:
        voice = Voice(f"user-{number if owner is None else owner}", f"10.0.0.{number}/32")
        self.picture.put(f"feeder-{number}", [self.report(snapshot, **values)], 1, voice=voice)

    def tick(self) -> dict[str, Any]:
        self.now += 1.0
        return self.picture.tick().aircraft(ADDRESS)


@pytest.mark.parametrize("snapshot", [True, False])
@pytest.mark.parametrize("strangers", [1, 2, 15])
def test_strangers_change_nothing_that_ours_say(strangers, snapshot):
    sky = Sky()
    for second in range(30):
        lat = 40.0 + second / 1000
        sky.own(snapshot, lat=lat, lon=5.0, **TRUE)
        for number in range(strangers):
            sky.stranger(number, snapshot=snapshot, lat=lat + 0.4, lon=5.0, **LIE)
        aircraft = sky.tick()
        assert {name: aircraft.get(name) for name in TRUE} == TRUE
        assert (aircraft["lat"], aircraft["lon"]) == pytest.approx((lat, 5.0), abs=1e-6)
        assert aircraft["receiver"] == "roof"
        assert not aircraft["military"]
        assert {"dbFlags", "r", "t", "desc", "ownOp"}.isdisjoint(aircraft)
        assert set(aircraft.get("disputed", ())) == (DISPUTES if strangers > 1 else set())


def test_one_of_ours_that_hears_no_positions_does_not_make_those_of_another_old():
    sky = Sky()
    begin = sky.now
    for second in range(30):
        place = {"lon": 5.0, "nic": 8, "rc": 186}
        sky.own(snapshot=True, lat=40.0 + second / 1000, **place, **TRUE)
        deaf = sky.report(True, lat=40.0, **place, **TRUE)
        deaf.at, deaf.position_at = sky.now + 0.1, begin
        sky.picture.put("yard", [deaf], 1)
        sky.stranger(1, snapshot=True, lat=40.0 + second / 1000, lon=5.0, nic=0, rc=0, **TRUE)
        aircraft = sky.tick()
        assert (aircraft["nic"], aircraft["rc"]) == (8, 186)
        assert aircraft["lat"] == pytest.approx(40.0 + second / 1000)


def test_two_strangers_of_one_owner_dispute_nothing():
    sky = Sky()
    for _ in range(3):
        sky.own(lat=40.0, lon=5.0, **TRUE)
        for number in (1, 2, 3):
            sky.stranger(number, owner=1, lat=40.4, lon=5.0, **LIE)
        assert "disputed" not in sky.tick()


@pytest.mark.parametrize("snapshot", [True, False])
def test_feeders_without_a_record_are_one_voice_from_however_many_networks(snapshot):
    """One machine has an IPv4 and an IPv6 address, and may have more of others."""
    sky, networks = Sky(), ("198.51.100.7/32", "2001:db8:1:2::/64", "203.0.113.9/32")
    for second in range(8):
        # Beside ours for some seconds, then alone.
        if second < 4:
            sky.own(snapshot, lat=40.0, lon=5.0, **TRUE)
        for number, network in enumerate(networks, 1):
            feeder = KnownFeeder(-number, "", True)
            for address, lie in ((ADDRESS, {"lat": 40.4, "lon": 5.0, **LIE}), (INVENTED, LIE)):
                report = sky.report(snapshot, **lie, hex=address)
                sky.picture.put(feeder.receiver, [report], 1, voice=feeder.voice(network))
        sky.now += 1.0
        shown = sky.picture.tick()
        aircraft = shown.aircraft(ADDRESS)
        assert "disputed" not in aircraft
        assert {name: aircraft.get(name) for name in TRUE} == TRUE
        assert shown.aircraft(INVENTED)["single_source"] is True
        assert doubt_of(shown)[shown.hexes.index(INVENTED)] & EMERGENCY
    # A second voice confirms it.
    sky.stranger(9, hex=INVENTED, snapshot=snapshot, **LIE)
    sky.now += 1.0
    assert "single_source" not in sky.picture.tick().aircraft(INVENTED)


def test_two_strangers_that_say_different_things_dispute_nothing():
    sky = Sky()
    for _ in range(3):
        sky.own(**TRUE)
        sky.stranger(1, flight="EVIL1", squawk="7500", alt_baro=9_000)
        sky.stranger(2, flight="EVIL2", squawk="7600", alt_baro=20_000)
        assert "disputed" not in sky.tick()


def test_what_strangers_agree_on_by_frames_is_a_dispute_and_no_more():
    sky = Sky()
    for _ in range(3):
        sky.own(lat=40.0, lon=5.0, **TRUE)
        lie = ReducedReport(ADDRESS, sky.now, type="adsb_icao", flight="EVIL", alt_baro=9_000, messages=2, voices=2)
        sky.picture.put(AGREED_RECEIVER, [lie], 2, voice=SEVERAL)
        aircraft = sky.tick()
        assert (aircraft["flight"], aircraft["alt_baro"]) == ("SWR12", 30_000)
        assert set(aircraft["disputed"]) == {"callsign", "altitude"}


@pytest.mark.parametrize("snapshot", [True, False])
def test_strangers_fill_in_what_ours_do_not_say(snapshot):
    sky = Sky()
    for second in range(3):
        sky.own(snapshot, squawk="1000", alt_baro=30_000, rssi=-20.0)
        sky.stranger(1, snapshot=snapshot, lat=40.0 + second / 1000, lon=5.0, category="A3", squawk="2000", gs=400.0)
        aircraft = sky.tick()
    assert {name: aircraft[name] for name in ("squawk", "alt_baro", "gs", "category", "lon", "rssi")} == {
        "squawk": "1000", "alt_baro": 30_000, "gs": 400.0, "category": "A3", "lon": 5.0, "rssi": -20.0,
    }  # fmt: skip


def test_strangers_are_heard_when_ours_is_no_longer_fresh_and_ours_again_at_once():
    sky = Sky()
    sky.own(lat=40.0, lon=5.0, **TRUE)
    shown = []
    for _ in range(20):
        sky.stranger(1, lat=40.0, lon=5.0, squawk="2000")
        shown.append(sky.tick()["squawk"])
    assert shown == ["1000"] * 15 + ["2000"] * 5
    # Two of them have moved it meanwhile.
    for _ in range(10):
        for number in (1, 2):
            sky.stranger(number, lat=40.4, lon=5.0, flight="EVIL")
        aircraft = sky.tick()
    assert aircraft["lat"] == pytest.approx(40.4)
    sky.own(lat=40.01, lon=5.0, **TRUE)
    sky.stranger(1, lat=40.4, lon=5.0, flight="EVIL")
    aircraft = sky.tick()
    assert (aircraft["flight"], aircraft["lat"]) == ("SWR12", pytest.approx(40.01))


@pytest.mark.parametrize("strangers", [1, 2])
def test_a_callsign_and_a_category_of_ours_are_replaced_only_when_they_are_no_longer_shown(strangers):
    sky = Sky()
    sky.own(flight="SWR12", category="A3")
    shown = []
    for _ in range(20):
        sky.now += 9
        sky.own(alt_baro=30_000)
        for number in range(strangers):
            sky.stranger(number, flight="EVIL", category="A7")
        aircraft = sky.tick()
        shown.append((aircraft["flight"], aircraft["category"]))
    assert shown == [("SWR12", "A3")] * 17 + [("EVIL", "A3")] * 3


def test_one_stranger_alarms_nobody_of_an_aircraft_that_ours_hear():
    for owners, alarmed in (((1, 1), False), ((1, 2), True)):
        sky = Sky()
        sky.own(flight="SWR12")
        for number, owner in enumerate(owners):
            sky.stranger(number, owner, emergency="general", acas_ra={"threat": "TCAS"})
        aircraft = sky.tick()
        assert ("emergency" in aircraft) is alarmed
        assert ("acas_ra" in aircraft) is alarmed


def test_a_feeder_that_is_trusted_no_longer_says_nothing_of_airframes():
    sky = Sky()
    sky.picture.put("feeder-1", [sky.report(True, dbFlags=1, r="D-AIZZ")], 1)
    assert sky.tick()["military"]
    sky.picture.put("feeder-1", [], 0, voice=Voice("user-1", "10.0.0.1/32"))
    aircraft = sky.tick()
    assert not aircraft["military"]
    assert "r" not in aircraft


def test_after_a_restart_strangers_are_still_strangers():
    sky, again = Sky(), Sky()
    sky.own(**TRUE)
    sky.stranger(1, **LIE)
    sky.stranger(2, **LIE)
    sky.tick()
    again.now = sky.now
    again.picture.restore(sky.picture.save())
    aircraft = again.tick()
    assert {name: aircraft[name] for name in TRUE} == TRUE
    assert not aircraft["military"]


# What strangers may change of an aircraft that ours hear, and since when it is in the sky.
APART = {"messages", "disputed", "single_source", "first_seen"}
VALUES: dict[str, list[Any]] = {
    "flight": ["SWR1", "SWR2", "EVIL"], "squawk": ["1000", "2000", "7700"], "emergency": ["none", "general"],
    "alt_baro": [1_000, 20_000, "ground"], "alt_geom": [1_000, 20_000], "gs": [10.0, 400.0], "track": [1.0, 200.0],
    "baro_rate": [0, 2_000], "geom_rate": [-500, 800], "category": ["A1", "A3"], "nic": [3, 8], "rc": [20, 500],
    "nav_qnh": [1013.0, 990.0], "nav_modes": [["vnav"], []], "sil": [1, 3], "version": [0, 2], "spi": [0, 1],
    "dbFlags": [0, 1], "r": ["D-AIZZ", "EVIL"], "t": ["A320", "F16"], "desc": ["AIRBUS", "evil"], "ias": [200.0, 300.0],
    "wd": [10.0, 20.0], "rssi": [-3.0, -30.0],
}  # fmt: skip
GROUPS = (("baro_rate", "geom_rate"), ("nic", "rc", "lat", "lon"), ("sil", "version"))


def drawn(chance: random.Random, second: int, share: float) -> dict[str, Any]:
    """Some of the values that a receiver may say of an aircraft."""
    values = {name: chance.choice(some) for name, some in VALUES.items() if chance.random() < share}
    if chance.random() < share:
        values |= {"lat": 40.0 + chance.choice([0, 0, 0, 1, 5]) / 10 + second / 1000, "lon": 5.0}
    return values


def drawn_world(chance: random.Random) -> Iterator[tuple[float, list[tuple[str, Voice | None, list[Report], bool]]]]:
    """What an own receiver and strangers report in each second: receiver, voice, reports."""
    addresses = [f"40000{number}" for number in range(4)]
    strangers = [(f"feeder-{number}", Voice(f"user-{chance.randrange(3)}", f"10.0.{number}.1/32"))
                 for number in range(chance.randrange(1, 7))]  # fmt: skip
    is_snapshot = {name: chance.random() < 0.5 for name in ("roof", *(name for name, _ in strangers))}
    hears = {name: chance.choice([0.1, 0.5, 1.0]) for name in is_snapshot}
    now = START
    for second in range(chance.randrange(20, 60)):
        now += 1.0
        said = []
        for name, voice in (("roof", None), *strangers):
            reports = []
            for address in addresses:
                if chance.random() < hears[name]:
                    values = drawn(chance, second, chance.random())
                    source = chance.choice(["adsb_icao", "mode_s", "mlat", "tisb_icao"])
                    at = now - chance.choice([0.0, 0.3])
                    position_at = at if "lat" in values else 0.0
                    reports.append(Report(address, at, position_at, is_snapshot[name], source, messages=2, **values))
            said.append((name, voice, reports))
        if chance.random() < 0.5:
            values = {name: value for name, value in drawn(chance, second, 0.5).items() if name not in AIRFRAME_FIELDS}
            agreed = ReducedReport(chance.choice(addresses), now, now, type="adsb_icao", messages=2, voices=2, **values)
            said.append((AGREED_RECEIVER, SEVERAL, [agreed]))
        chance.shuffle(said)
        yield now, said


def copied(reports: list[Report]) -> list[Report]:
    """Reports that a picture may change."""
    return [type(each)(*(getattr(each, name) for name in each.__struct_fields__)) for each in reports]


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=FURTHER) for seed in range(8, 25))])
def test_of_what_ours_say_the_picture_is_the_same_without_strangers(seed):
    chance, now, looks = random.Random(seed), [START], 0
    with_strangers, alone = (Picture(clock=lambda: now[0], monotonic=lambda: now[0]) for _ in range(2))
    for at, said in drawn_world(chance):
        now[0] = at
        for name, voice, reports in said:
            with_strangers.put(name, copied(reports), len(reports), voice=voice)
            if name == "roof":
                alone.put(name, copied(reports), len(reports))
        theirs, ours = with_strangers.tick(), alone.tick()
        for address in ours.hexes:
            mine, shown = ours.aircraft(address), theirs.aircraft(address)
            for name, value in mine.items():
                if name not in APART and is_said_lately(alone.reports_of("roof")[address], mine, name, at):
                    looks += 1
                    assert shown.get(name) == value, (seed, at - START, address, name, mine, shown)
    assert looks > 100


def is_said_lately(view: Report, aircraft: dict[str, Any], name: str, now: float) -> bool:
    """Whether one of ours has said a field, by its view, within the time for which it is fresh."""
    name = "alt_baro" if name == "on_ground" else name
    if getattr(view, name, None) is UNSET:
        return False
    if name in ("lat", "lon", "distance_nm", "bearing", "seen_pos", "receiver", "nic", "rc"):
        # A position that is not believed is none.
        return aircraft.get("seen_pos", now) <= FRESH_S and now - view.position_at <= FRESH_S
    states = getattr(view, "heard", {})
    at = states[name].at if name in states else view.at
    return now - at <= FRESH_S


FLIGHTS, HALF_SECONDS = 4, 40
OWNERS, PROCESSES = 3, 2


class GatheredWorld(LiarWorld):
    """Feeders that hear the same whoever else is there, and perhaps an own receiver that decodes what it hears."""

    def __init__(self, traffic: Traffic, feeders: dict[int, FeederSpec], seed: int, hears: float) -> None:
        super().__init__(traffic, [FeederSpec(process) for process in range(PROCESSES)], seed)
        self.feeders, self.seed, self.hears = feeders, seed, hears
        self.processes = [
            IngestProcess({n: each for n, each in feeders.items() if each.process == process}, lambda: self.now)
            for process in range(PROCESSES)
        ]
        self.decoder = FrameReports(None, Counter())

    def _frames(self, number: int, feeder: FeederSpec, t: int) -> list[bytes]:
        self._chance = random.Random(f"{self.seed} {number} {t}")
        return super()._frames(number, feeder, t)

    def _note_heard(self, t: int, honest: Counter[bytes]) -> None:
        """Hear what the own receiver hears; what two honest feeders hear is of no interest here."""
        if not self.hears:
            return
        chance = random.Random(f"{self.seed} roof {t}")
        sent = b"".join(beast(frame, 0) for frame in self._sent[t] if chance.random() < self.hears)
        frames = BeastFramer().feed(sent, self.now)
        assert isinstance(frames, FrameBatch)
        heard = self.decoder.decode(frames)
        self.picture.put("roof", heard.reports, heard.messages)


def drawn_feeders(chance: random.Random) -> tuple[dict[int, FeederSpec], dict[int, FeederSpec]]:
    """Ours, none or some that are trusted, and strangers: liars of all kinds, pacts of them, and honest ones."""
    hears = [chance.choice([0.2, 0.5, 0.9]) for _ in range(9)]
    ours = {n: FeederSpec(chance.randrange(PROCESSES), hears[n], trusted=True) for n in range(chance.randrange(3))}
    strangers = {
        10 + number: FeederSpec(
            chance.randrange(PROCESSES),
            hears[number],
            lies=chance.choice(["", "pact", "pact", *KINDS]),
            owner=100 + chance.randrange(OWNERS),
            network=f"10.1.{chance.randrange(9)}.1/32",
        )
        for number in range(chance.randrange(1, 8))
    }
    return ours, strangers


@pytest.mark.deep("plays worlds of feeders twice")
@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=FURTHER) for seed in range(4, 12))])
def test_of_what_ours_say_the_picture_is_the_same_without_strangers_among_feeders(seed):
    chance, looks = random.Random(seed), 0
    ours, strangers = drawn_feeders(chance)
    hears = 0.0 if ours and chance.random() < 0.5 else 0.6
    traffic = Traffic.drawn(FLIGHTS, HALF_SECONDS, seed)
    alone, beside = (GatheredWorld(traffic, each, seed, hears) for each in (ours, ours | strangers))
    receivers = ["roof", TRUSTED_RECEIVER, *(f"feeder-{number}" for number in ours)]
    for (t, mine_of), (_, shown_of) in zip(alone.skies(HALF_SECONDS), beside.skies(HALF_SECONDS), strict=True):
        for address in mine_of.hexes:
            mine, shown = mine_of.aircraft(address), shown_of.aircraft(address)
            views = [view for name in receivers if (view := alone.picture.reports_of(name).get(address)) is not None]
            for name, value in mine.items():
                if name not in APART and any(is_said_lately(view, mine, name, alone.now) for view in views):
                    looks += 1
                    assert shown.get(name) == value, (seed, t, address, name, mine, shown)
    assert looks > 300
