"""Feeders in the picture: liars among them move nothing, what one alone hears is marked and limited."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from msgspec import UNSET

from skywatch.core.telemetry import health
from skywatch.picture.intake import FeederIntake
from skywatch.picture.picture import Picture
from skywatch.picture.positions.accepted import Offer, choose
from skywatch.receivers.feeder_streams.installation import InstallationFeeders
from skywatch.receivers.feeder_streams.reducer.reports import AGREED_RECEIVER
from skywatch.receivers.feeder_streams.voices import OURS, SEVERAL, Voice
from skywatch.receivers.mode_s.encoder import airborne_position, identification, squitter, velocity
from skywatch.receivers.reports.report import ReducedReport, Report
from tests.unit.receivers.feeder_streams.feeders import START, Feeders

AIRCRAFT = {0x400000 + number * 0x1111: number for number in range(30)}
SECONDS = 25
STRANGER = Voice("user-1", "10.0.0.1/32")


class Clock:
    now = START

    def __call__(self) -> float:
        return self.now


class FakeRuntime:
    """Only what ``InstallationFeeders`` takes of a runtime."""

    def __init__(self, hub):
        self._hub = hub

    def shared(self, kind):
        return self._hub


class Process:
    """Feeders of one ingest process and the intake of a picture."""

    def __init__(self, picture, *numbers, **options):
        self.feeders = Feeders(*numbers, **options)
        self.reception = InstallationFeeders(FakeRuntime(self.feeders.hub))
        self.intake = FeederIntake(picture, self.reception)


def make_picture(clock):
    return Picture(clock=clock, monotonic=clock)


def place(number: int, at: float) -> tuple[float, float]:
    """Aircraft that fly circles, so that every position counts."""
    angle = at / 60 + number
    return 40.0 + number % 6 + 0.05 * math.cos(angle), 5.0 + number // 6 + 0.05 * math.sin(angle)


def transmissions(half_second: int) -> list[tuple[int, bytes]]:
    frames = []
    at = half_second / 2
    for address, number in AIRCRAFT.items():
        lat, lon = place(number, at)
        frames.append((address, squitter(address, airborne_position(lat, lon, half_second % 2, 30_000 + number * 100))))
        if half_second % 4 == 0:
            frames.append((address, squitter(address, identification(f"TST{number}"))))
        frames.append((address, squitter(address, velocity(100, 100))))
    return frames


def lies(kind: str, half_second: int, seed: int) -> list[bytes]:
    """What a liar sends in half a second; one that replays does so ``seed`` seconds late."""
    if kind == "replayed":
        return [frame for _, frame in transmissions(max(0, half_second - 2 * seed))]
    frames = []
    for address, number in AIRCRAFT.items():
        lat, lon = place(number, half_second / 2)
        if kind == "shifted":
            lat, altitude = lat + 0.3 + seed / 50, 20_000
        elif kind == "invented":
            address, altitude = 0x700000 + (seed << 12) + number, 25_000
        else:  # Somebody else's aircraft, a little off.
            lat, altitude = lat + 0.01, 30_000 + number * 100 + 500
        frames += [
            squitter(address, airborne_position(lat, lon, half_second % 2, altitude)),
            squitter(address, identification(f"LIAR{seed}")),
        ]
    return frames


def seen(sky) -> dict[str, dict]:
    return {address: sky.aircraft(address) for address in sky.hexes}


def run_world(processes, picture, clock, liars, hearing, seconds=SECONDS):
    """Half seconds of traffic: ``hearing`` is the share of transmissions that an honest feeder hears."""
    chance = random.Random(7)
    sky = None
    for half_second in range(2 * seconds):
        clock.now = START + half_second / 2
        for process in processes:
            for number in process.feeders.connections:
                if number in liars:
                    process.feeders.send(number, *lies(liars[number], half_second, number))
                else:
                    heard = [frame for _, frame in transmissions(half_second) if chance.random() < hearing]
                    process.feeders.send(number, *heard)
            process.feeders.at = clock.now - 0.05
            process.feeders.flush()
        if half_second % 2:
            for index, process in enumerate(processes):
                reduction = process.feeders.hub.reduce(clock.now)
                process.intake.take(reduction, f"process {index}" if len(processes) > 1 else "")
            processes[-1].intake.put_agreed()
            sky = picture.tick()
            yield half_second / 2, sky
    return sky


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize("processes", [1, 2])
def test_a_liar_moves_no_field_that_two_honest_feeders_hear(processes):
    clock = Clock()
    picture = make_picture(clock)
    liars = {4: "shifted", 8: "replayed", 6: "invented", 7: "close"}
    group = [Process(picture, 1, 2, 3, *liars)]
    if processes == 2:
        # The honest ones are apart from each other.
        group = [Process(picture, 1, 4, 6), Process(picture, 2, 3, 7, 8)]
        group[1].intake = group[0].intake
    for process in group:
        process.feeders.gatherer.clock = clock
    wrong, looks = [], 0
    for at, sky in run_world(group, picture, clock, liars, 0.7):
        if at < 8:
            continue
        for address, number in AIRCRAFT.items():
            looks += 1
            aircraft = sky.aircraft(f"{address:06x}")
            lat, lon = place(number, at)
            # Two seconds of flight: nobody hears everything.
            apart = math.hypot(aircraft["lat"] - lat, (aircraft["lon"] - lon) * 0.7)
            if apart > 0.0035 or aircraft["alt_baro"] != 30_000 + number * 100 or aircraft["flight"] != f"TST{number}":
                wrong.append((at, apart, lat, lon, aircraft))
    assert looks
    assert wrong == []


def test_invented_aircraft_are_marked_until_somebody_independent_hears_them():
    clock = Clock()
    picture = make_picture(clock)
    process = Process(picture, 1, 2, 3, trusted=(3,), owners={2: 1})

    def hear(number, address):
        process.feeders.send(number, squitter(address, identification("A")), squitter(address, velocity(100, 100)))
        process.feeders.flush()
        process.intake.take(process.feeders.reduce())
        return picture.tick()

    sky = hear(1, 0x700001)
    assert sky.aircraft("700001")["single_source"] is True
    assert sky.column("single_source").tolist() == [True]
    # Of the same owner.
    assert hear(2, 0x700001).aircraft("700001")["single_source"] is True
    assert "single_source" not in hear(3, 0x700001).aircraft("700001")
    assert "single_source" not in hear(3, 0x700002).aircraft("700002")
    assert "single_source" not in hear(1, 0x700002).aircraft("700002")
    hear(1, 0x700003)
    picture.put("roof", [Report("700003", clock.now, snapshot=True, messages=2)], 1)
    assert "single_source" not in picture.tick().aircraft("700003")


def test_noise_of_ours_confirms_nobody():
    clock = Clock()
    picture = Picture(clock=clock, monotonic=clock, proof=True)
    noise = Report("700001", clock.now, type="mode_s", messages=1)
    picture.put("roof", [noise], 1)
    picture.tick()
    clock.now += 1800.0
    invented = Report("700001", clock.now, clock.now, snapshot=True, type="adsb_icao", lat=47.5, lon=8.5, messages=5)
    picture.put("feeder-1", [invented], 1, voice=Voice("user-1", "10.0.0.1/32"))
    assert picture.tick().aircraft("700001")["single_source"] is True
    picture.put("roof", [Report("700001", clock.now, type="mode_s", messages=1)], 1)
    assert "single_source" not in picture.tick().aircraft("700001")


def test_a_feeder_brings_so_many_new_aircraft_a_minute_and_the_rest_is_counted(monkeypatch):
    clock, reported = Clock(), {}
    monkeypatch.setattr(health, "report", lambda part, ok, detail, **counts: reported.update({part: (detail, counts)}))
    picture = make_picture(clock)
    process = Process(picture, 1, 2)
    process.feeders.hub.limit.limit = picture.corroboration.limit = 5
    process.feeders.gatherer.clock = clock
    for number in (1, 2):
        process.feeders.send(number, *(squitter(0x400000 + n, identification("B")) for n in range(50)))
    process.feeders.send(1, *(squitter(0x700000 + n, identification("A")) for n in range(20)))
    process.feeders.flush()
    process.intake.take(process.feeders.reduce())
    sky = picture.tick()
    assert len(sky) == 55
    detail, counts = reported["feeder_aircraft"]
    assert (counts, "feeder_new_aircraft_minute: feeder-1 (15)" in detail) == ({"dropped": 15}, True)
    clock.now += 61
    process.feeders.send(1, *(squitter(0x700000 + n, identification("A")) for n in range(20)))
    process.feeders.flush()
    process.intake.take(process.feeders.reduce())
    assert reported["feeder_aircraft"][1] == {"dropped": 25}


def test_an_owner_whose_feeders_are_at_several_processes_brings_no_more():
    clock = Clock()
    picture = make_picture(clock)
    picture.corroboration.limit = 5
    numbers = range(1, 5)
    group = [Process(picture, number, owners={number: 1 if number < 4 else 4}) for number in numbers]
    for number, process in zip(numbers, group, strict=True):
        process.feeders.hub.limit.limit = 5
        frames = (squitter(0x700000 + 0x1000 * number + n, identification("A")) for n in range(20))
        process.feeders.send(number, *frames)
        process.feeders.flush()
        process.intake.take(process.feeders.hub.reduce(clock.now), f"process {number}")
    group[-1].intake.put_agreed()
    assert len(picture.tick()) == 5 + 5
    # The rest did not come so far.
    assert picture.corroboration.dropped == {"feeder-2": 5, "feeder-3": 5}


def test_what_receivers_of_ours_hear_costs_no_feeder_its_limit():
    clock = Clock()
    picture = make_picture(clock)
    process = Process(picture, 1)
    process.feeders.hub.limit.limit = picture.corroboration.limit = 5
    process.feeders.gatherer.clock = clock
    for second in range(2):
        clock.now += 6
        heard = [Report(f"{0x400000 + number:06x}", clock.now, messages=2 + second) for number in range(30)]
        picture.put("roof", heard, 30)
        process.feeders.send(1, *(squitter(0x400000 + number, identification("B")) for number in range(30)))
        process.feeders.flush()
        process.intake.take(process.feeders.hub.reduce(clock.now))
        assert len(picture.reports_of("feeder-1")) == (5, 30)[second]


def test_a_clock_that_is_set_back_makes_no_owner_wait():
    clock, voice = Clock(), Voice("user-1", "10.0.0.1/32")
    picture = Picture(clock=clock, monotonic=lambda: START)
    picture.corroboration.limit = 2
    for number in range(2):
        picture.put("feeder-1", [Report(f"70000{number}", clock.now)], 1, voice=voice)
    clock.now -= 3600
    picture.put("feeder-1", [Report("700002", clock.now)], 1, voice=voice)
    assert set(picture.reports_of("feeder-1")) == {"700000", "700001", "700002"}


def test_feeders_without_a_record_are_among_those_that_hear_an_aircraft():
    picture = make_picture(Clock())
    process = Process(picture, -3, 2, networks={-3: "192.0.2.3/32"})
    for number in (-3, 2):
        process.feeders.send(number, squitter(0x400001, identification("A")))
        process.feeders.flush()
        process.intake.take(process.feeders.reduce())
    assert {name for name, _, _ in Picture(feeders=process.reception).feeders_that_hear("400001")} == {
        "anonymous-3",
        "feeder-2",
    }


@pytest.mark.parametrize("is_of_earlier_release", [False, True])
def test_what_only_strangers_brought_is_single_after_a_restart_until_a_second_owner_hears_it(is_of_earlier_release):
    clock = Clock()
    picture = make_picture(clock)
    one, same_owner = Voice("user-1", "10.0.0.1/32"), Voice("user-1", "10.0.9.1/32")
    two = Voice("user-2", "10.0.0.2/32")

    def put(receiver, address, voice=None):
        picture.put(receiver, [Report(address, clock.now, snapshot=True, messages=2)], 1, voice=voice)

    put("feeder-1", "700001", one)
    put("feeder-2", "700001", same_owner)
    put("feeder-1", "700002", one)
    put("roof", "700002")
    put("feeder-1", "700003", one)
    put("feeder-3", "700003", two)
    put("feeder-1", "700004", one)
    saved = picture.save()
    if is_of_earlier_release:
        for book in saved.books:
            book.voice = None
    picture = make_picture(clock)
    picture.restore(saved)

    def single():
        sky = picture.tick()
        assert sky.column("single_source").tolist() == ["single_source" in sky.aircraft(name) for name in sky.hexes]
        return {name for name in sky.hexes if "single_source" in sky.aircraft(name)}

    # It is not known whose feeders they were.
    doubtful = {"700003"} if is_of_earlier_release else set()
    assert single() == {"700001", "700004"} | doubtful
    put("feeder-1", "700004", one)
    put("feeder-2", "700004", same_owner)
    assert single() == {"700001", "700004"} | doubtful
    put("feeder-3", "700004", two)
    put("roof", "700001")
    assert single() == doubtful


def test_what_is_not_known_is_in_doubt():
    clock = Clock()
    picture = make_picture(clock)
    picture.put("feeder-1", [Report("700001", clock.now, snapshot=True)], 1, voice=Voice("user-1", "10.0.0.1/32"))
    # More have been invented since than are remembered.
    picture.corroboration._alone.clear()
    assert picture.tick().aircraft("700001")["single_source"] is True


def test_voices_of_an_agreed_report_outvote_a_single_receiver():
    clock = Clock()
    picture = make_picture(clock)
    agreed = ReducedReport("400001", clock.now, type="adsb_icao", squawk="1234", flight="GOOD", messages=2, voices=3)
    for name, flight in (("feeder-1", "BAD"), ("feeder-2", "BAD")):
        report = ReducedReport("400001", clock.now, type="adsb_icao", flight=flight, messages=2)
        picture.put(name, [report], 2, voice=Voice("user-1", f"10.0.0.{name[-1]}/32"))
    picture.put(AGREED_RECEIVER, [agreed], 2, voice=SEVERAL)
    assert picture.tick().aircraft("400001")["flight"] == "GOOD"


def alarmed(clock, feeders):
    """The picture of an aircraft that two feeders agree on, and of which these say that it is in distress."""
    picture = make_picture(clock)
    agreed = ReducedReport("400001", clock.now, type="adsb_icao", flight="GOOD", messages=2, voices=2)
    picture.put(AGREED_RECEIVER, [agreed], 2, voice=SEVERAL)
    for name, voice in feeders.items():
        report = Report("400001", clock.now, type="adsb_icao", emergency="general", acas_ra={"threat": "TCAS"})
        picture.put(name, [report], 1, voice=voice)
    return picture.tick().aircraft("400001")


def test_one_untrusted_feeder_alarms_nobody_where_others_hear_the_aircraft():
    clock, liar = Clock(), Voice("user-1", "10.0.0.1/32")
    assert {"emergency", "acas_ra"}.isdisjoint(alarmed(clock, {"feeder-1": liar}))
    assert {"emergency", "acas_ra"}.isdisjoint(alarmed(clock, {"feeder-1": liar, "feeder-2": liar}))
    other = Voice("user-2", "10.0.0.2/32")
    assert alarmed(clock, {"feeder-1": liar, "feeder-2": other})["emergency"] == "general"
    assert alarmed(clock, {"feeder-1": OURS})["emergency"] == "general"


def test_where_two_hear_an_aircraft_one_untrusted_feeder_alarms():
    clock = Clock()
    picture = make_picture(clock)
    for number in (1, 2):
        report = Report("400001", clock.now, type="adsb_icao", emergency="general" if number == 1 else UNSET)
        picture.put(f"feeder-{number}", [report], 1, voice=Voice(f"user-{number}", f"10.0.0.{number}/32"))
    assert picture.tick().aircraft("400001")["emergency"] == "general"


def unreduced(gatherer):
    """Collects what a gatherer decodes as single messages, which is how they went to the picture before."""
    reducer, messages = gatherer.strangers.reducer, []
    add = reducer.add

    def collect(decoded, lanes, is_repeat):
        by_row = [None] * len(decoded)
        good = iter(decoded.messages())
        for row in range(len(decoded)):
            if decoded.status[row] == 0:
                by_row[row] = next(good)
        for row, message in enumerate(by_row):
            if message is not None:
                messages.append((int(lanes[row]), message, bool(is_repeat[row])))
        return add(decoded, lanes, is_repeat)

    reducer.add = collect
    return messages


@pytest.mark.deep("costs over a processor second")
def test_the_picture_is_the_same_with_and_without_the_reduction():
    clock = Clock()
    reduced, direct = make_picture(clock), make_picture(clock)
    liars = {4: "shifted"}
    process = Process(reduced, 1, 2, 3, 4)
    gatherer = process.feeders.gatherer
    messages = unreduced(gatherer)
    fields = ("lat", "lon", "alt_baro", "flight", "gs", "track", "squawk", "category", "disputed", "on_ground")
    for at, sky in run_world([process], reduced, clock, liars, 0.8, 15):
        for lane, message, is_repeat in messages:
            name = gatherer.lanes[lane].receiver if lane else AGREED_RECEIVER
            voice = gatherer.lanes[lane].voice if lane else SEVERAL
            report = message if lane else as_agreed(message, is_repeat)
            direct.put(name, [report], 1, voice=voice)
        messages.clear()
        other = direct.tick()
        if at > 3:
            for address in (f"{address:06x}" for address in AIRCRAFT):
                mine, theirs = sky.aircraft(address), other.aircraft(address)
                assert {name: mine.get(name) for name in fields} == {name: theirs.get(name) for name in fields}
    assert sky.messages > 0


def as_agreed(message, is_repeat):
    values = {name: getattr(message, name) for name in Report.__struct_fields__}
    return ReducedReport(**values | {"messages": 0 if is_repeat else 1}, voices=2)


def test_choosing_prefers_what_is_agreed_while_it_is_new():
    def offer(receiver, at, voices):
        columns = [np.array([value]) for value in (0, 40.0 + receiver, 5.0, at, 0, 400.0, False)]
        return Offer(receiver, *columns, agreed=np.array([True]) if voices > 1 else None)

    assert choose([offer(1, 99.0, 1), offer(2, 98.0, 3)], 1, 100.0).receiver.tolist() == [2]
    assert choose([offer(1, 99.0, 1), offer(2, 96.0, 3)], 1, 100.0).receiver.tolist() == [1]


def test_of_contested_aircraft_untrusted_feeders_replace_nothing_agreed():
    def offer(receiver, at, voices, voice=OURS):
        columns = [np.array([value]) for value in (0, 40.0 + receiver, 5.0, at, 0, 400.0, False)]
        return Offer(receiver, *columns, agreed=np.array([True]) if voices > 1 else None, voice=voice)

    def chosen(agreed_at, is_contested, voice=STRANGER):
        offers = [offer(1, 99.0, 1, voice), offer(2, agreed_at, 3, SEVERAL)]
        return choose(offers, 1, 100.0, np.array([is_contested])).receiver.tolist()

    assert chosen(96.0, is_contested=False) == [1]
    assert chosen(81.0, is_contested=True) == [2]
    assert chosen(79.0, is_contested=True) == [1]
    # What ours or trusted ones say is news.
    assert chosen(96.0, is_contested=True, voice=OURS) == [1]
