"""The simulated sky: it moves as it says, looks like a receiver's, and is the same for the same seed."""

from __future__ import annotations

import asyncio
from collections import Counter

import msgspec
import numpy as np
import pytest

from skywatch.core import geo
from skywatch.receivers.factory import open_receiver
from skywatch.receivers.reports.report import Report
from skywatch.receivers.simulator.tables import AIRLINES, HELICOPTERS, LIGHT
from skywatch.receivers.simulator.traffic import Traffic
from skywatch.settings import SettingsError
from tests.unit.receivers.collector import running
from tests.waiting import eventually

CENTRE = (47.45, 8.56)
START = 1_700_000_000.0


def played(seconds: int, count: int = 150, seed: int = 4, every_s: int = 1) -> list[list[Report]]:
    traffic = Traffic(count, CENTRE, START, seed=seed)
    ticks = []
    for second in range(1, seconds + 1, every_s):
        traffic.step(START + second)
        ticks.append(traffic.reports())
    return ticks


def test_same_seed_same_sky() -> None:
    assert msgspec.to_builtins(played(30)) == msgspec.to_builtins(played(30))
    assert msgspec.to_builtins(played(3)) != msgspec.to_builtins(played(3, seed=5))


@pytest.mark.deep("costs over a processor second")
def test_positions_agree_with_speed_and_track() -> None:
    before: dict[str, Report] = {}
    compared = 0
    for tick in played(180):
        for now in tick:
            was = before.get(now.hex)
            if was is not None and isinstance(now.lat, float) and now.position_at > was.position_at:
                elapsed_s = now.position_at - was.position_at
                moved_nm = float(geo.distance_nm(was.lat, was.lon, now.lat, now.lon))
                assert moved_nm == pytest.approx(was.gs * elapsed_s / 3600, abs=0.003, rel=0.02)
                if was.gs > 100 and elapsed_s > 0.5:
                    turned = (now.track - was.track + 180) % 360 - 180
                    flown = float(geo.bearing_deg(was.lat, was.lon, now.lat, now.lon))
                    assert abs((flown - was.track - turned / 2 + 180) % 360 - 180) < 2
                if isinstance(was.alt_baro, int) and isinstance(now.alt_baro, int):
                    assert abs(now.alt_baro - was.alt_baro - was.baro_rate * elapsed_s / 60) < 60
                compared += 1
            if isinstance(now.lat, float):
                before[now.hex] = now
    assert compared > 15_000


def test_looks_like_a_receiver() -> None:
    ticks = played(120, count=400)
    last = ticks[-1]
    assert len({report.hex for report in last}) == 400
    assert {report.type for report in last} == {"adsb_icao", "mlat", "mode_s"}
    assert any(report.alt_baro == "ground" and report.lat is msgspec.UNSET for report in last)
    assert any(report.alt_baro == "ground" and report.lat is not msgspec.UNSET for report in last)
    assert any(report.hex.startswith(("ae", "43c", "3ea", "3b7")) for report in last)
    for report in last:
        assert report.snapshot
        assert START + 100 < report.at <= START + 120
        assert report.at >= report.position_at
        assert isinstance(report.rssi, float)
        assert -50 < report.rssi < 0
    counts = [{report.hex: report.messages for report in tick} for tick in ticks]
    grown = [counts[-1][address] > counts[0][address] for address in counts[-1].keys() & counts[0].keys()]
    assert all(grown)


def test_now_and_then_an_emergency() -> None:
    seen: Counter[str] = Counter()
    for tick in played(1800, count=60, every_s=10):
        seen.update({report.squawk for report in tick if report.squawk in ("7500", "7600", "7700")})
    assert seen
    assert sum(seen.values()) < 180 * 3


def test_aircraft_come_and_go_within_the_radius() -> None:
    ticks = played(1800, count=100, every_s=10)
    assert {report.hex for report in ticks[0]} - {report.hex for report in ticks[-1]}
    for report in ticks[-1]:
        if isinstance(report.lat, float):
            assert geo.distance_nm(report.lat, report.lon, *CENTRE) < 152


def test_reports_survive_the_wire() -> None:
    # What it says must pass as an aircraft.json of a real receiver does.
    report = next(report for report in played(2)[1] if isinstance(report.lat, float))
    assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report
    assert not any(isinstance(value, np.generic) for value in msgspec.structs.astuple(report))


def test_runs_as_a_receiver() -> None:
    async def play() -> None:
        receiver = open_receiver("demo", "simulate aircraft=25 seed=1 ground=0", None)
        async with running(receiver) as heard:
            await eventually(lambda: len(heard.batches) == 2)
        assert receiver.status.state == "connected"
        assert receiver.status.messages == heard.messages > 25
        assert receiver.status.message_rate > 10
        assert receiver.status.position_rate > 5
        assert len(heard.hexes) == 25
        assert not any(report.alt_baro == "ground" for report in heard.reports)

    asyncio.run(play())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("simulate aircraft=many", "aircraft must be a number"),
        ("simulate aircraft=1.5", "aircraft must be a whole number"),
        ("simulate aircraft=-1", "between 0 and 50000"),
        ("simulate aircraft=nan", "finite"),
        ("simulate around=47", "lat,lon"),
        ("simulate around=97,8", "not on the Earth"),
        ("simulate seed=x", "seed must be a whole number"),
        ("simulate speed=3", "unknown option speed"),
        ("simulate ground=0 ground=1", "ground is given twice"),
        ("simulat aircraft=3", "did you mean simulate?"),
        ("", "is empty"),
        ('simulate "aircraft=3', "quotation mark"),
    ],
)
def test_bad_settings_name_the_setting(text: str, reason: str) -> None:
    with pytest.raises(SettingsError, match=reason) as caught:
        open_receiver("demo", text, None)
    assert str(caught.value).startswith("setting receiver.demo: ")
    assert "\n" not in str(caught.value)


STATES = {
    "D-": (0x3C0000, 0x3FFFFF), "HB-": (0x4B0000, 0x4B7FFF), "G-": (0x400000, 0x43FFFF), "F-": (0x380000, 0x3BFFFF),
    "PH-": (0x480000, 0x487FFF), "EI-": (0x4CA000, 0x4CAFFF), "OE-": (0x440000, 0x447FFF), "EC-": (0x340000, 0x37FFFF),
    "SE-": (0x4A8000, 0x4AFFFF), "TC-": (0x4B8000, 0x4BFFFF), "HA-": (0x470000, 0x477FFF), "A6-": (0x896000, 0x896FFF),
    "N": (0xA00000, 0xAFFFFF),
}  # fmt: skip


@pytest.mark.parametrize(
    "operator", [*AIRLINES, *LIGHT, *HELICOPTERS], ids=lambda one: one.callsign or one.registration
)
def test_simulated_addresses_lie_in_the_block_of_the_registration(operator):
    """The blocks of ICAO Annex 10, volume III, of the States whose aircraft are simulated."""
    first, last = next(block for prefix, block in STATES.items() if operator.registration.startswith(prefix))
    assert first <= operator.first_address
    assert operator.first_address + operator.addresses - 1 <= last
