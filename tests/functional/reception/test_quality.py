"""The quality of reception as clients see it: its numbers, and who may see them."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from skywatch.core.database.engine import writing
from skywatch.reception.models import ReceiverQuality
from tests.functional.reception.measured import measured, store
from tests.identities import as_role, install_with_users

ROOF = "/api/v1/system/receivers/roof/quality"
VIEWER, ADA, BEN, ADMIN = as_role("viewer", 4), as_role("operator"), as_role("operator", 2), as_role("admin", 3)


@pytest.fixture
def make(make_client):
    return lambda **settings: install_with_users(
        make_client(auth_mode="hybrid", **{"receiver.roof": "simulate", **settings})
    )


@pytest.fixture
def client(make):
    return make()


def register(client, **body):
    return client.post_json("/api/v1/feeders/", {"name": "Attic", **body}, headers=ADA, status=201).json["id"]


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)


def test_range_now_is_shown_against_the_median_and_the_greatest_of_30_days(client):
    distant = {ago: measured(100.0 + ago) for ago in range(2, 42)}
    store(client.runtime, "roof", {0: measured(90.0, 33.3), 1: measured(95.0), **distant})
    answer = client.get(ROOF, headers=VIEWER).json
    assert answer.keys() == {"range", "signal", "series", "connections"}
    assert [sector["bearing"] for sector in answer["range"]] == list(range(0, 360, 10))
    north, next_one, third = answer["range"][:3]
    assert north["now_nm"] in (90.0, 95.0)  # as long as a part of the last hour is within the newest 60 minutes
    # The median of 90, 95 and 102 to 141.
    assert (north["p50_30d_nm"], north["max_30d_nm"]) == (120.5, 141.0)
    assert (next_one["now_nm"], next_one["p50_30d_nm"], next_one["max_30d_nm"]) == (33.3, 33.3, 33.3)
    assert third == {"bearing": 20, "now_nm": None, "p50_30d_nm": None, "max_30d_nm": None}


def test_the_series_is_by_minute_for_a_day_and_by_hour_before(client):
    present = store(client.runtime, "roof", {ago: measured(100.0, rssi=-2.0) for ago in range(1, 48)})
    series = client.get(ROOF, headers=VIEWER).json["series"]
    times = [moment(point["at"]) for point in series]
    assert times == sorted(set(times))
    by_hour = [at for at in times if at.minute == 0 and present - at > timedelta(hours=25)]
    assert len(by_hour) == 22
    newest = [at for at in times if present - at <= timedelta(hours=22)]
    assert len(newest) == 22 * 60
    assert series[0] == {
        "at": (present - timedelta(hours=47)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "messages_s": 10.0, "positions_s": 2.0, "aircraft": 4.0, "max_range_nm": 100.0, "strong_share": 1.0,
        "duplicates_share": 0.25, "disputes_share": 0.05,
    }  # fmt: skip
    assert series[-1].keys() == series[0].keys()
    assert series[-1]["messages_s"] == 10.0


def test_signals_are_those_of_the_newest_hour(client):
    store(client.runtime, "roof", {0: measured(1.0, rssi=-40.0), 1: measured(1.0, rssi=-40.0), 5: measured(1.0)})
    signal = client.get(ROOF, headers=VIEWER).json["signal"]
    counted = {entry["dbfs"]: entry["count"] for entry in signal["histogram"] if entry["count"]}
    assert len(signal["histogram"]) == 50
    assert counted.keys() == {-40}
    assert (signal["strong_share"], signal["weak_share"]) == (0.0, 1.0)


def test_a_receiver_that_was_never_heard_has_an_answer_without_numbers(client):
    answer = client.get(ROOF, headers=VIEWER).json
    assert (len(answer["range"]), answer["series"]) == (36, [])
    assert answer["signal"]["strong_share"] is None
    assert all(sector["max_30d_nm"] is None for sector in answer["range"])


def test_ranges_of_another_place_do_not_count(client):
    store(client.runtime, "roof", {3: measured(300.0, origin=(40.0, 8.0)), 2: measured(100.0), 1: measured(110.0)})
    assert client.get(ROOF, headers=VIEWER).json["range"][0]["max_30d_nm"] == 110.0


def test_rows_of_another_release_are_passed_over(client):
    present = store(client.runtime, "roof", {1: measured(100.0), 2: measured(120.0), 3: measured(140.0)})
    with writing(client.runtime.sessions) as db:
        for ago, values in ((2, {"detail": b"\x09"}), (3, {"summary": b"\x09"})):
            where = ReceiverQuality.at == present - timedelta(hours=ago)
            db.execute(sa.update(ReceiverQuality).where(where).values(**values))
    answer = client.get(ROOF, headers=VIEWER).json
    assert answer["range"][0]["max_30d_nm"] == 120.0
    assert len(answer["series"]) == 61


def test_what_is_no_receiver_of_the_settings_is_not_found(client):
    for name in ("barn", f"feeder-{register(client)}", "a" * 80):
        assert client.get(f"/api/v1/system/receivers/{name}/quality", headers=ADMIN, status=404)
    client.get("/api/v1/system/receivers/%00/quality", headers=ADMIN, status=(400, 404))
    client.get("/api/v1/feeders/999/quality", headers=ADMIN, status=404)


def test_the_quality_of_a_coarse_place_is_its_owners(client):
    url = f"/api/v1/feeders/{register(client, lat=47.4, lon=8.5)}/quality"
    for headers, status in ((VIEWER, 403), (BEN, 403), (ADA, 200), (ADMIN, 200)):
        client.get(url, headers=headers, status=status)


def test_the_quality_of_an_exact_place_is_for_all_who_see_feeders(client):
    number = register(client, lat=47.4, lon=8.5, place_privacy="exact")
    store(client.runtime, f"feeder-{number}", {1: measured(77.0)})
    answer = client.get(f"/api/v1/feeders/{number}/quality", headers=VIEWER).json
    assert answer["range"][0]["max_30d_nm"] == 77.0
    client.get(f"/api/v1/feeders/{number}/quality", status=401)


def test_a_place_that_nobody_may_know_is_not_shown_by_ranges(make):
    client = make(station_lat=47.45, station_lon=8.56, station_accuracy="none")
    away = {"REMOTE_ADDR": "203.0.113.7"}
    assert client.get(ROOF, headers=VIEWER, extra_environ=away, status=403).json["code"] == "permission_denied"
    client.get(ROOF, headers=as_role("superadmin", 3), extra_environ=away)
    client.get(ROOF, headers=VIEWER)


def test_who_may_not_see_states_does_not_see_their_quality(client):
    client.get(ROOF, status=401)
