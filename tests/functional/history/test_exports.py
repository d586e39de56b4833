"""Exports and tracks of a recorded hour: they parse elsewhere, and need their permission."""

import csv
import gzip
import io
import json
from urllib.parse import urlencode
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
from webob import Request

from skywatch.history.storage.reader import Span, read
from skywatch.security.permissions import Permission
from tests.functional.exported import by_duckdb, by_geojson, by_gpxpy, by_kml_schema
from tests.functional.history.recorded import ANALYST, OPERATOR, SECONDS, VIEWER, T, get, iso, span
from tests.identities import as_role

pytestmark = pytest.mark.portable("sends what others send", but=["test_the_track_of_a_flight_comes_in_every_format"])


@pytest.mark.deep("costs over a processor second")
def test_bulk_export_needs_its_permission_and_nobody_is_let_in_unidentified(client):
    assert get(client, "export", VIEWER, 403).json["code"] == "permission_denied"
    assert get(client, "export", OPERATOR, 403).json["code"] == "permission_denied"
    for path in ("flights", "flights/1", "flights/1/track", "tracks/4b1620", "picture", "replay", "export", "stats"):
        assert get(client, path, {}, 401).json["code"] == "authentication_required"


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


@pytest.mark.deep("costs over a processor second")
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


def as_sent(client, path, headers, query):
    """The answer as it is on the wire; WebTest would unpack it."""
    url = f"/api/v1/history/{path}?{urlencode(query)}"
    return Request.blank(url, headers=ANALYST | headers, environ=client.extra_environ).get_response(client.app)


@pytest.mark.deep("costs over a processor second")
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
