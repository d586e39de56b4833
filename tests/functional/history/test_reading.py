"""Flights, pictures and replays of a recorded hour: who sees what, and that pages join up."""

import json
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from skywatch.core.database.engine import writing
from skywatch.history.models import Chunk, Tail
from skywatch.http.lists.cursor import encode_cursor
from tests.functional.history.recorded import ANALYST, OPERATOR, SECONDS, VIEWER, T, get, iso, span


@pytest.mark.deep("costs over a processor second")
def test_flights_are_listed_newest_first_with_their_numbers(client):
    flights = get(client, "flights").json["flights"]
    assert [f["icao_hex"] for f in flights] == ["3C6444", "43C001", "4B1620"]
    swiss = flights[-1]
    assert (swiss["callsign"], swiss["registration"], swiss["operator"]) == ("SWR1", "HB-JJA", "SWISS")
    assert (swiss["positions"], swiss["max_altitude_ft"], swiss["active"]) == (SECONDS, 36000, True)
    assert swiss["distance_nm"] == pytest.approx(SECONDS * 0.12, rel=0.01)
    assert get(client, f"flights/{swiss['id']}").json == swiss


def test_a_search_that_ends_before_it_begins_is_refused(sqlite_client):
    fault = get(sqlite_client, "flights", status=400, from_=iso(T + 1), to=iso(T)).json
    assert fault["code"] == "validation_failed"
    assert get(sqlite_client, "flights", from_=iso(T), to=iso(T)).json["count"] == 3


def test_who_may_not_see_military_or_details_does_not(client):
    listed = get(client, "flights", VIEWER).json
    assert listed["count"] == 2
    assert all(f["registration"] is None and f["operator"] is None for f in listed["flights"])
    assert get(client, "flights", OPERATOR).json["flights"][-1]["registration"] == "HB-JJA"
    military = next(f for f in get(client, "flights").json["flights"] if f["military"])
    for path in (f"flights/{military['id']}", f"flights/{military['id']}/track"):
        assert get(client, path, VIEWER, 404).json["code"] == "not_found"
        get(client, path, ANALYST)
    assert get(client, "tracks/43C001", VIEWER, **span()).json["count"] == 0
    assert get(client, "tracks/43c001", ANALYST, **span()).json["count"] > 0
    at = iso(T + 500)
    assert {a["hex"] for a in get(client, "picture", VIEWER, at=at).json["aircraft"]} == {"4b1620", "3c6444"}
    assert {a["hex"] for a in get(client, "picture", ANALYST, at=at).json["aircraft"]} == {
        "4b1620",
        "3c6444",
        "43c001",
    }
    for path in ("replay", "stats", "heatmap", "coverage"):
        text = get(client, path, VIEWER, **span()).text
        assert "43c001" not in text.lower()
        assert "HB-JJA" not in text
    assert get(client, "stats", VIEWER, **span()).json["flights"] == 2
    assert get(client, "flights", VIEWER, 403, registration="HB-JJA").json["code"] == "permission_denied"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"icao_hex": "4B1620"}, 1),
        ({"callsign": "swr1"}, 1),
        ({"callsign": "S*"}, 1),
        ({"callsign": "%*"}, 0),
        ({"registration": "hb-jja"}, 1),
        ({"type": "a320"}, 1),
        ({"military": "true"}, 1),
        ({"emergency": "true"}, 0),
        ({"active": "true"}, 3),
        ({"min_altitude_ft": "30000"}, 2),
        ({"from": iso(T + SECONDS + 60)}, 0),
        ({"to": iso(T - 60)}, 0),
        ({"from": iso(T + 10), "to": iso(T + 20)}, 3),
    ],
)
def test_flights_are_found_by(sqlite_client, query, found):
    assert get(sqlite_client, "flights", **query).json["count"] == found


def test_the_beginning_of_all_time_is_a_time_like_any_other(client):
    for path in ("flights", "tracks/4b1620", "replay", "timeline", "export", "stats", "heatmap", "coverage"):
        get(client, path, from_="0001-01-01T00:00:00Z", to="0001-01-01T00:01:00Z")


def test_pages_by_cursor_join_up(sqlite_client):
    seen, url = [], "/api/v1/history/flights?limit=1"
    while url:
        page = sqlite_client.get(url.replace("http://localhost", ""), headers=ANALYST).json
        assert page["count"] == 3
        seen += [f["icao_hex"] for f in page["flights"]]
        url = page["next"]
    assert seen == ["3C6444", "43C001", "4B1620"]
    no_such = [encode_cursor(datetime(2026, 5, 1, tzinfo=UTC), number) for number in (-1, 2**63)]
    for cursor in ("nonsense", *no_such):
        fault = get(sqlite_client, "flights", status=400, cursor=cursor).json
        assert fault["errors"][0]["name"] == "cursor"


def test_the_picture_shows_where_aircraft_were_in_between(sqlite_client):
    for second in (0, 33, 599.5, 600, 1034.5, SECONDS - 1):
        picture = get(sqlite_client, "picture", at=iso(T + second)).json
        swiss = next(a for a in picture["aircraft"] if a["hex"] == "4b1620")
        assert swiss["lat"] == pytest.approx(47 + second * 0.002, abs=0.0003)
        assert (swiss["alt_baro"], swiss["gs"], swiss["flight"], swiss["r"]) == (36000, 432, "SWR1", "HB-JJA")
    lufthansa = {a["hex"]: a for a in get(sqlite_client, "picture", at=iso(T + 300)).json["aircraft"]}["3c6444"]
    assert lufthansa["alt_baro"] == "ground"
    # Unseen for 31 s and still shown, for 91 s and not.
    early = {a["hex"]: a for a in get(sqlite_client, "picture", at=iso(T + 630)).json["aircraft"]}
    assert early["3c6444"]["seen_pos"] == pytest.approx(31, abs=0.1)
    assert "3c6444" not in get(sqlite_client, "picture", at=iso(T + 690)).text
    assert get(sqlite_client, "picture", at=iso(T - 10)).json["count"] == 0
    assert get(sqlite_client, "picture", at=iso(T + 1e6)).json["count"] == 0


def test_a_replay_is_the_picture_of_every_step(client):
    lines = [
        json.loads(line)
        for line in get(client, "replay", step_s=30, from_=iso(T - 60), to=iso(T + SECONDS + 120)).text.splitlines()
    ]
    assert lines.pop() == {"end": True, "moments": len(lines)}
    assert [line["now"] for line in lines] == [T - 60 + 30 * n for n in range(len(lines))]
    assert len(lines) == (SECONDS + 180) // 30 + 1
    for line in lines:
        assert line["count"] == len(line["aircraft"])
        assert get(client, "picture", at=iso(line["now"])).json["aircraft"] == line["aircraft"]


def test_a_span_too_long_or_upside_down_is_named(sqlite_client):
    fault = get(sqlite_client, "replay", status=400, from_=iso(T), to=iso(T + 8 * 86400)).json
    assert fault["errors"][0]["name"] == "to"
    fault = get(sqlite_client, "heatmap", status=400, from_=iso(T), to=iso(T - 1)).json
    assert fault["errors"][0]["name"] == "from"
    assert get(sqlite_client, "picture", status=400).json["errors"][0]["name"] == "at"


def test_what_is_yet_to_come_is_refused_by_name(sqlite_client):
    now = datetime.now(UTC).timestamp()
    for path, query, name in (
        ("picture", {"at": now + 90}, "at"),
        ("replay", {"from_": now + 90, "to": now + 3600}, "from"),
        ("replay", {"to": now + 86400}, "to"),
        ("tracks/4b1620", {"from_": now + 90, "to": now + 3600}, "from"),
        ("heatmap", {"from_": now + 90, "to": now + 3600}, "from"),
        ("export", {"from_": now + 90, "to": now + 3600}, "from"),
    ):
        query = {key: iso(seconds) for key, seconds in query.items()}
        fault = get(sqlite_client, path, status=400, **query).json
        assert (fault["code"], fault["errors"][0]["name"]) == ("validation_failed", name), path
    # A clock that is a little fast, and a day that is not over.
    assert get(sqlite_client, "picture", at=iso(now + 30)).json["count"] == 0
    assert get(sqlite_client, "tracks/4b1620", from_=iso(now - 3600), to=iso(now + 3600)).json["count"] == 0


def test_the_timeline_counts_what_the_caller_may_see_and_begins_with_the_replay(client):
    before = {"from_": iso(T - SECONDS), "to": iso(T + SECONDS)}
    found = get(client, "timeline", bins=20, **before).json
    assert (found["step_s"], found["first_at"]) == (SECONDS / 10, iso(T))
    assert found["aircraft"] == [0] * 10 + [3] * 10
    assert get(client, "timeline", VIEWER, bins=20, **before).json["aircraft"][10:] == [2] * 10
    pictures = get(client, "replay", from_=found["first_at"], to=iso(T + 10), step_s=10).text.splitlines()
    assert json.loads(pictures[0])["count"] > 0
    # Aircraft that were in the air before the span are there from its begin.
    assert get(client, "timeline", from_=iso(T + 301), to=iso(T + 900)).json["first_at"] == iso(T + 301)


def test_a_timeline_without_data_says_so(sqlite_client):
    for shift in (-7200, 7200):
        empty = get(sqlite_client, "timeline", bins=5, from_=iso(T + shift), to=iso(T + shift + 3600)).json
        assert (empty["first_at"], empty["aircraft"]) == (None, [0] * 5)
    moment = get(sqlite_client, "timeline", bins=1, from_=iso(T), to=iso(T)).json
    assert (moment["first_at"], moment["aircraft"]) == (iso(T), [0])
    for query, name in (
        ({"bins": 0}, "bins"),
        ({"bins": 501}, "bins"),
        ({"from_": iso(T), "to": iso(T + 8 * 86400)}, "to"),
    ):
        assert get(sqlite_client, "timeline", status=400, **query).json["errors"][0]["name"] == name


def test_flights_whose_tracks_are_gone_are_not_on_the_timeline(sqlite_client):
    with writing(sqlite_client.runtime.sessions) as session:
        session.execute(sa.delete(Chunk))
        session.execute(sa.delete(Tail))
    found = get(sqlite_client, "timeline", bins=5, **span()).json
    assert (found["first_at"], found["aircraft"]) == (None, [0] * 5)
