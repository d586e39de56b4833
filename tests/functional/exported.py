"""Exports as other people's tools read them: points of each address, or an assertion that tells what is wrong.

These tools have read many files that are not ours: RFC 7946 by the library ``geojson``, KML 2.2 with Google's
extensions by its published schema, GPX by ``gpxpy``, Parquet by DuckDB.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import duckdb
import geojson
import gpxpy
from lxml import etree
from pykml.parser import Schema

KML = {"k": "http://www.opengis.net/kml/2.2", "gx": "http://www.google.com/kml/ext/2.2"}


def by_geojson(body):
    collection = geojson.loads(body)
    assert isinstance(collection, geojson.FeatureCollection)
    assert collection.is_valid, collection.errors()
    counts = Counter()
    for feature in collection.features:
        # A line of one point stands twice in a MultiLineString.
        lines = feature.geometry.coordinates if feature.geometry.type == "MultiLineString" else None
        twice = sum(len(line) == 2 and line[0] == line[1] for line in lines or ())
        counts[feature.properties["icao_hex"]] += len(list(geojson.utils.coords(feature))) - twice
    return dict(counts)


def by_kml_schema(body):
    document = etree.fromstring(body)
    schema = Schema("kml22gx.xsd")
    assert schema.validate(document), schema.schema.error_log
    counts = Counter()
    for placemark in document.iterfind(".//k:Placemark", KML):
        address = placemark.findtext(".//k:Data[@name='icao_hex']/k:value", namespaces=KML)
        counts[address] += len(placemark.findall(".//gx:coord", KML))
    return dict(counts)


def by_gpxpy(body):
    counts = Counter()
    for track in gpxpy.parse(body.decode()).tracks:
        points = [point for segment in track.segments for point in segment.points]
        assert all(point.time.tzinfo is not None for point in points)
        counts[track.description.split()[0]] += len(points)
    return dict(counts)


def by_duckdb(body):
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file, duckdb.connect() as connection:
        Path(file.name).write_bytes(body)
        counts = "SELECT icao_hex, count(*) FROM read_parquet($1) GROUP BY 1"
        wrong = 'SELECT count(*) FROM read_parquet($1) WHERE NOT (lat BETWEEN -90 AND 90) OR "at" IS NULL'
        assert connection.execute(wrong, [file.name]).fetchall() == [(0,)]
        return dict(connection.execute(counts, [file.name]).fetchall())
