"""Records and the journal over REST."""

from __future__ import annotations

from datetime import date, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from skywatch.core import geo
from skywatch.core.clock import to_iso, utcnow
from tests.functional.firsts.drawing import ANALYST, NOW, OPERATOR, STATION, ZONE, points_of

RECORDS, JOURNAL = "/api/v1/records", "/api/v1/journal"
SECONDS = np.arange(0.0, 1200.0, 60.0)


def points(out_to_nm=100.0, alt=35_000.0, gs=450.0):
    lat, lon = geo.destination(*STATION, 90.0, np.linspace(5.0, out_to_nm, len(SECONDS)))
    full = np.ones(len(SECONDS))
    return points_of(at=SECONDS, lat=lat, lon=lon, alt=alt * full, gs=gs * full)


def records(client, headers=ANALYST):
    return client.get(RECORDS, headers=headers).json


def journal(client, day=None, headers=ANALYST):
    query = f"?day={day}" if day else ""
    return client.get(f"{JOURNAL}{query}", headers=headers).json


def day_of(days_ago):
    return (NOW - timedelta(days=days_ago)).astimezone(ZoneInfo(ZONE)).date().isoformat()


def test_an_empty_station_has_no_records(client):
    found = records(client)
    assert (found.pop("rarest_types"), found.pop("timezone")) == ([], ZONE)
    assert set(found.values()) == {None}
    assert journal(client) == {
        "day": utcnow().astimezone(ZoneInfo(ZONE)).date().isoformat(), "timezone": ZONE, "flights": 0, "airframes": 0,
        "new": [], "military_share": None, "first": None, "last": None, "records": [],
    }  # fmt: skip


def test_records_say_what_when_who_and_how(client, home):
    flight = home.fly_points(points(150.0), days_ago=3)
    home.fly_points(points(60.0, alt=41_000.0, gs=520.0), "4B1602", days_ago=2, callsign="EDW2", aircraft_type="A343")
    home.fly_points(points(20.0, alt=3_000.0, gs=80.0), "4B1603", days_ago=1, callsign="HBABC", aircraft_type="C172")
    home.count()
    found = records(client)
    farthest = found["farthest"]
    assert farthest.pop("value") == pytest.approx(150.0, abs=0.1)
    assert farthest == {
        "unit": "nm", "at": to_iso(NOW - timedelta(days=3) + timedelta(seconds=1140)), "icao_hex": "4B1601",
        "callsign": "SWR100", "type": "A320", "receiver": "roof", "source": "adsb_icao",
    }  # fmt: skip
    assert (found["highest"]["value"], found["highest"]["unit"], found["highest"]["icao_hex"]) == (
        41_000,
        "ft",
        "4B1602",
    )
    assert (found["fastest"]["value"], found["fastest"]["unit"], found["fastest"]["type"]) == (520, "kt", "A343")
    assert (found["slowest_airborne"]["value"], found["slowest_airborne"]["callsign"]) == (80, "HBABC")
    assert (found["longest_flight"]["value"], found["longest_flight"]["unit"]) == (1140, "s")
    assert found["longest_flight"]["at"] == to_iso(NOW - timedelta(days=3))
    assert [(rare["type"], rare["airframes"], rare["flights"]) for rare in found["rarest_types"]] == [
        ("A320", 1, 1), ("A343", 1, 1), ("C172", 1, 1),
    ]  # fmt: skip
    home.remove(flight)
    home.count()
    assert records(client)["farthest"]["icao_hex"] == "4B1601"


def test_busiest_day_and_hour_are_of_the_stations_time(client, home):
    midnight = NOW.astimezone(ZoneInfo(ZONE)).replace(hour=0) - timedelta(days=9)
    ago = (NOW - midnight).total_seconds() / 86_400
    # Half an hour before midnight, and three after it.
    home.fly("4B1600", days_ago=ago + 0.5 / 24)
    for number in (0, 1, 22):
        home.fly(f"4B160{number % 3}", days_ago=ago - (number * 60 + 5) / 1440)
    home.count()
    found = records(client)
    assert (found["busiest_day"]["value"], found["busiest_hour"]["value"]) == (3, 1)
    assert (found["busiest_day"]["at"], found["timezone"]) == (to_iso(midnight), ZONE)
    day = midnight.date()
    shown = journal(client, day.isoformat())
    assert (shown["flights"], shown["airframes"]) == (3, 2)
    assert shown["first"] == to_iso(midnight + timedelta(minutes=5))
    assert shown["records"] == ["busiest_day"]
    assert journal(client, (day - timedelta(days=1)).isoformat())["flights"] == 1


def test_a_record_is_set_where_nothing_before_reaches_it(client, home):
    home.fly_points(points(100.0, alt=36_000.0), days_ago=5)
    home.fly_points(points(90.0, alt=39_000.0), days_ago=4)
    home.fly_points(points(120.0, alt=39_000.0), days_ago=3)
    home.count()
    assert journal(client, day_of(4))["records"] == ["highest"]
    assert journal(client, day_of(3))["records"] == ["farthest"]
    # Older history takes it away.
    home.fly_points(points(50.0, alt=45_000.0), days_ago=60)
    home.count()
    assert journal(client, day_of(4))["records"] == []
    assert "highest" in journal(client, day_of(60))["records"]


def test_military_records_are_of_those_who_may_see_them(client, home):
    home.fly_points(points(60.0, alt=50_000.0), "3F4001", days_ago=2, military=True, callsign="GAF1")
    home.fly_points(points(60.0, alt=36_000.0), "4B1602", days_ago=2)
    home.count()
    assert records(client)["highest"]["icao_hex"] == "3F4001"
    found = records(client, OPERATOR)
    assert (found["highest"]["icao_hex"], found["busiest_day"]["value"]) == ("4B1602", 1)
    shown = journal(client, day_of(2), OPERATOR)
    assert (shown["flights"], shown["airframes"], shown["military_share"]) == (1, 1, None)
    assert journal(client, day_of(2))["military_share"] == 0.5


def test_the_journal_of_a_day_stays_when_its_flights_are_removed(client, home):
    flights = [home.fly(f"4B160{number}", days_ago=5 + number / 100) for number in range(4)]
    home.count()
    before = journal(client, day_of(5))
    home.remove(*flights[:3])
    # Something of that day is counted again.
    home.fly("4B1604", days_ago=4.99)
    home.count()
    after = journal(client, day_of(5))
    assert (before["flights"], after["flights"], after["airframes"]) == (4, 4, 4)
    assert [first["key"] for first in after["new"] if first["kind"] == "airframe"][:1] == ["4B1604"]


def test_days_are_counted_again_in_another_time_zone(client, home):
    home.fly(days_ago=NOW.hour / 24 - 23.5 / 24 + 3)
    home.count()
    object.__setattr__(client.runtime.settings, "station_timezone", "Asia/Tokyo")
    home.count()
    days = [NOW.date() - timedelta(days=number) for number in range(6)]
    counted = {day.isoformat(): journal(client, day.isoformat())["flights"] for day in days}
    assert sum(counted.values()) == 1


def test_only_days_of_the_past_have_a_journal(client):
    tomorrow = (utcnow() + timedelta(days=2)).date()
    for day in (tomorrow.isoformat(), "2026-02-30", "1969-12-31", "today", date.max.isoformat()):
        assert client.get(f"{JOURNAL}?day={day}", headers=ANALYST, status=400).json["code"] == "validation_failed"
