"""The history resources over a recorded hour: who sees what, that exports parse elsewhere, that pages join up."""

import csv
import gzip
import io
import json
import shutil
from datetime import UTC, datetime
from urllib.parse import urlencode
from xml.etree import ElementTree

import numpy as np
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa
from webob import Request

from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.history.analysis import service, views
from skywatch.history.models import Chunk, Tail
from skywatch.history.reading.archive import Span, read
from skywatch.history.recording.recorder import Recorder
from skywatch.history.recording.writer import Writer
from skywatch.history.storage.points import SLICE_S
from skywatch.http.lists.cursor import encode_cursor
from skywatch.security.permissions import Permission
from tests.functional.exported import by_duckdb, by_geojson, by_gpxpy, by_kml_schema
from tests.identities import as_role, install
from tests.unit.history.skies import SkyMaker, flying

T = 1_750_000_200.0
SECONDS = 1300
VIEWER, OPERATOR, ANALYST = (as_role(role) for role in ("viewer", "operator", "analyst"))


def iso(seconds):
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def record(sessions, seconds=SECONDS):
    """A Swiss airliner, one that lands and is silent for a while, and a military one."""
    writer, make = Writer(sessions, Recorder(20.0, 25.0, 900.0)), SkyMaker()
    airframe = {"registration": "HB-JJA", "operator": "SWISS", "owner": "Leasing Ltd"}
    for second in range(seconds):
        now = T + second
        sky = [
            flying("4b1620", now, T, flight="SWR1", type="A320", squawk="1000", **airframe),
            flying("43c001", now, T, flight="RRR1", military=True, type="A400"),
        ]
        if not 600 <= second < 700:
            sky.append(flying("3c6444", now, T, flight="=EVIL,1", alt_baro_ft=np.nan, on_ground=True, gs_kt=5.0))
        writer.recorder.take(make(now, sky))
        if second % 20 == 19:
            writer.flush()
    return writer


@pytest.fixture(scope="module")
def recorded(migrated_sqlite, tmp_path_factory):
    """A SQLite file with the recorded hour, to be copied."""
    path = tmp_path_factory.mktemp("recorded") / "recorded.sqlite"
    shutil.copy(migrated_sqlite, path)
    engine = create_engine(f"sqlite:///{path}")
    record(create_session_factory(engine))
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    return path


@pytest.fixture
def sqlite_client(recorded, tmp_path, make_client):
    shutil.copy(recorded, tmp_path / "recorded.sqlite")
    url = f"sqlite:///{tmp_path}/recorded.sqlite"
    return install(make_client(auth_mode="hybrid", database_url=url, station_lat=47, station_lon=8))


@pytest.fixture(params=["sqlite", "postgresql"])
def client(request, make_client):
    if request.param == "sqlite":
        return request.getfixturevalue("sqlite_client")
    url = request.getfixturevalue("postgresql_url")
    client = install(make_client(auth_mode="hybrid", database_url=url, station_lat=47, station_lon=8))
    record(client.runtime.sessions)
    return client


def get(client, path, headers=ANALYST, status=200, **query):
    query = {name.rstrip("_"): str(value) for name, value in query.items()}
    return client.get(f"/api/v1/history/{path}", query, headers=headers, status=status)


def span():
    return {"from_": iso(T), "to": iso(T + SECONDS)}


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


def test_bulk_export_needs_its_permission_and_nobody_is_let_in_unidentified(client):
    assert get(client, "export", VIEWER, 403).json["code"] == "permission_denied"
    assert get(client, "export", OPERATOR, 403).json["code"] == "permission_denied"
    for path in ("flights", "flights/1", "flights/1/track", "tracks/4b1620", "picture", "replay", "export", "stats"):
        assert get(client, path, {}, 401).json["code"] == "authentication_required"


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


def test_the_track_of_a_flight_comes_in_every_format(client):
    swiss = next(f for f in get(client, "flights").json["flights"] if f["icao_hex"] == "4B1620")
    track = get(client, f"flights/{swiss['id']}/track").json
    assert track["count"] == len(track["points"]) == swiss["points"] + 1  # the open segment's end
    assert track["points"][0]["at"] == iso(T)
    assert track["points"][0]["altitude_ft"] == 36000
    for wanted, check in (("geojson", from_geojson), ("kml", from_kml), ("gpx", from_gpx), ("csv", from_csv)):
        response = get(client, f"flights/{swiss['id']}/track", VIEWER, format=wanted)
        assert check(response.body) == {"4B1620": track["count"]}
    get(client, f"flights/{swiss['id']}/track", status=400, format="parquet")
    get(client, "flights/999999/track", status=404)


def from_geojson(body):
    document = json.loads(body)
    assert document["type"] == "FeatureCollection"
    counts = {}
    for feature in document["features"]:
        geometry, properties = feature["geometry"], feature["properties"]
        lines = [geometry["coordinates"]] if geometry["type"] == "LineString" else geometry["coordinates"]
        assert geometry["type"] in ("LineString", "MultiLineString")
        times = [properties["times"]] if geometry["type"] == "LineString" else properties["times"]
        assert [len(line) for line in lines] == [len(line) for line in times]
        assert all(len(line) >= 2 for line in lines)
        assert all(-180 <= p[0] <= 180 and -90 <= p[1] <= 90 for line in lines for p in line)
        address = properties["icao_hex"]
        counts[address] = counts.get(address, 0) + properties["points"]
    return counts


KML = {"k": "http://www.opengis.net/kml/2.2", "gx": "http://www.google.com/kml/ext/2.2"}


def from_kml(body):
    counts = {}
    for placemark in ElementTree.fromstring(body).iterfind(".//k:Placemark", KML):
        address = placemark.find(".//k:Data[@name='icao_hex']/k:value", KML).text
        assert len(placemark.findall(".//k:when", KML)) == len(placemark.findall(".//gx:coord", KML))
        counts[address] = counts.get(address, 0) + len(placemark.findall(".//k:when", KML))
    return counts


def from_gpx(body):
    namespace = {"g": "http://www.topografix.com/GPX/1/1"}
    counts = {}
    for track in ElementTree.fromstring(body).iterfind("g:trk", namespace):
        address = track.find("g:desc", namespace).text.split()[0]
        counts[address] = counts.get(address, 0) + len(track.findall(".//g:trkpt", namespace))
    return counts


def from_csv(body):
    counts = {}
    for row in csv.DictReader(io.StringIO(body.decode())):
        assert not row["callsign"].startswith("=")
        counts[row["icao_hex"]] = counts.get(row["icao_hex"], 0) + 1
    return counts


def from_parquet(body):
    table = pq.read_table(io.BytesIO(body)).to_pylist()
    counts = {}
    for row in table:
        assert row["at"].tzinfo is not None
        counts[row["icao_hex"]] = counts.get(row["icao_hex"], 0) + 1
    return counts


@pytest.mark.parametrize(
    ("wanted", "parse"),
    [
        ("csv", from_csv),
        ("geojson", from_geojson),
        ("geojson", by_geojson),
        ("kml", from_kml),
        ("kml", by_kml_schema),
        ("gpx", from_gpx),
        ("gpx", by_gpxpy),
        ("parquet", from_parquet),
        ("parquet", by_duckdb),
    ],
)
def test_exports_parse_elsewhere_and_hold_what_the_database_holds(client, wanted, parse):
    with client.runtime.sessions() as session:
        points = read(session, Span(T, T + SECONDS))
    stored = {
        f"{address:06X}": int((points["aircraft"] & 0xFFFFFF == address).sum())
        for address in (0x4B1620, 0x3C6444, 0x43C001)
    }
    assert parse(get(client, "export", ANALYST, format=wanted, **span()).body) == stored
    one = get(client, "export", ANALYST, format=wanted, icao_hex="3c6444", **span())
    assert parse(one.body) == {"3C6444": stored["3C6444"]}
    without = as_role("viewer", 1, None, Permission.HISTORY_EXPORT)
    assert parse(get(client, "export", without, format=wanted, **span()).body) == {
        address: count for address, count in stored.items() if address != "43C001"
    }


def test_a_span_cuts_exports_at_its_ends(sqlite_client):
    body = get(sqlite_client, "export", from_=iso(T + 100), to=iso(T + 700)).body
    times = [row["at"] for row in csv.DictReader(io.StringIO(body.decode()))]
    assert iso(T + 100) <= min(times)
    assert max(times) <= iso(T + 700.001)


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


def as_sent(client, path, headers, query):
    """The answer as it is on the wire; WebTest would unpack it."""
    url = f"/api/v1/history/{path}?{urlencode(query)}"
    return Request.blank(url, headers=ANALYST | headers, environ=client.extra_environ).get_response(client.app)


def test_streams_are_packed_for_those_who_take_it(sqlite_client):
    whole = {"from": iso(T), "to": iso(T + SECONDS)}
    for path, query in (("replay", {"step_s": 20, **whole}), ("export", {"format": "csv", **whole})):
        plain = as_sent(sqlite_client, path, {}, query)
        packed = as_sent(sqlite_client, path, {"Accept-Encoding": "gzip"}, query)
        assert (plain.content_encoding, packed.content_encoding) == (None, "gzip")
        assert plain.vary == packed.vary == ("Accept-Encoding", "Origin")
        assert gzip.decompress(packed.body) == plain.body
        assert len(packed.body) * 3 < len(plain.body)
    parquet = as_sent(sqlite_client, "export", {"Accept-Encoding": "gzip"}, {"format": "parquet", **whole})
    assert (parquet.content_encoding, parquet.vary) == (None, ("Origin",))
    assert parquet.body.startswith(b"PAR1")


def test_statistics_count_what_was_recorded(client):
    found = get(client, "stats", **span()).json
    assert (found["flights"], found["aircraft"], found["military_flights"]) == (3, 3, 1)
    assert found["positions"] == 3 * SECONDS - 100
    assert found["days"] == [{"date": "2025-06-15", "flights": 3, "aircraft": 3, "positions": 3 * SECONDS - 100}]
    assert {"type": "A320", "flights": 1} in found["top_types"]
    assert found["change"] == {"flights": None, "aircraft": None, "positions": None}


def test_the_heat_map_adds_up_the_time_in_each_cell(sqlite_client):
    found = get(sqlite_client, "heatmap", cell_deg=0.5, **span()).json
    total = sum(cell["aircraft_s"] for cell in found["cells"])
    assert total == pytest.approx(3 * SECONDS - 100, abs=60)
    high = get(sqlite_client, "heatmap", cell_deg=0.5, min_altitude_ft=20000, **span()).json
    assert sum(cell["aircraft_s"] for cell in high["cells"]) == pytest.approx(2 * SECONDS, abs=40)
    boxed = get(sqlite_client, "heatmap", cell_deg=0.5, bbox="7,47.99,9,49.01", **span()).json
    assert {cell["lat"] for cell in boxed["cells"]} <= {47.75, 48.25, 48.75, 49.25}


def test_coverage_is_by_bearing_and_altitude(sqlite_client, make_client):
    sectors = get(sqlite_client, "coverage", **span()).json["sectors"]
    assert len(sectors) == 36
    north = sectors[0]
    assert north["max_distance_nm"] == pytest.approx(SECONDS * 0.12, rel=0.02)
    assert [band["points"] > 0 for band in north["bands"]] == [False, False, False, False, True, False]
    assert sectors[18]["max_distance_nm"] is None
    nowhere = install(make_client(auth_mode="hybrid"))
    assert get(nowhere, "coverage", status=409).json["code"] == "conflict"


@pytest.mark.parametrize("path", ["heatmap", "coverage"])
def test_of_a_full_span_one_slice_in_so_many_is_evaluated(sqlite_client, monkeypatch, path):
    whole = get(sqlite_client, path, **span()).json
    read = []
    read_slices = service.read_slices

    def reading(*arguments, **options):
        for at, points in read_slices(*arguments, **options):
            read.append(at)
            yield at, points

    monkeypatch.setattr(service, "read_slices", reading)
    assert get(sqlite_client, path, **span()).json == whole
    assert whole["one_slice_in"] == 1
    every = sorted(set(read))
    assert len(every) >= 2
    read.clear()
    monkeypatch.setattr(service, "MAX_CHUNKS", 1)
    part = get(sqlite_client, path, **span()).json
    assert part["one_slice_in"] > 1
    assert read == [at for at in every if at % (part["one_slice_in"] * SLICE_S) == 0]


def test_times_of_a_heat_map_count_for_the_slices_that_were_not_read(sqlite_client, monkeypatch):
    def seconds():
        return sum(cell["aircraft_s"] for cell in get(sqlite_client, "heatmap", cell_deg=0.5, **span()).json["cells"])

    whole = seconds()
    monkeypatch.setattr(service, "one_slice_in", lambda session, wanted, most: 2)
    # Of three slices of ten minutes, of which the last is not full, one or two are read and count twice.
    assert 0.5 * whole < seconds() < 2 * whole


def test_no_more_evaluations_at_a_time_than_there_are_processors_for(sqlite_client, monkeypatch):
    monkeypatch.setattr(views, "MAX_WAIT_S", 0.01)
    for _ in range(views.MAX_AT_ONCE):
        assert views._turns.acquire(timeout=0)
    try:
        for path in ("heatmap", "coverage"):
            busy = get(sqlite_client, path, status=503, **span())
            assert busy.json["code"] == "unavailable"
            assert busy.headers["Retry-After"]
    finally:
        for _ in range(views.MAX_AT_ONCE):
            views._turns.release()
    assert get(sqlite_client, "heatmap", **span()).json["cells"]


def test_coverage_is_restricted_to_altitudes(sqlite_client):
    def points(**query):
        sectors = get(sqlite_client, "coverage", **query, **span()).json["sectors"]
        return sum(band["points"] for sector in sectors for band in sector["bands"])

    assert points(min_altitude_ft=30000) == points(max_altitude_ft=36000) == points() > 0
    assert points(min_altitude_ft=37000) == points(max_altitude_ft=35000) == 0
    assert (
        get(sqlite_client, "coverage", status=400, min_altitude_ft="high").json["errors"][0]["name"]
        == "min_altitude_ft"
    )


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
