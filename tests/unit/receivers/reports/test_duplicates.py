"""One address twice in a document: merged as two receivers would be."""

import json
from collections import Counter
from itertools import permutations

import pytest

from skywatch.receivers.reports.documents import DocumentReader
from skywatch.receivers.reports.duplicates import without_duplicates
from skywatch.receivers.reports.report import Report

NOW = 1_700_000_000.0
ADSB = {"hex": "4b1a24", "type": "adsb_icao", "flight": "SWR12", "lat": 47.0, "lon": 8.0, "gs": 400, "track": 90,
        "seen": 1.0, "seen_pos": 1.0, "messages": 100}  # fmt: skip
MLAT = {"hex": "4B1A24", "type": "mlat", "lat": 47.5, "lon": 8.5, "gs": 380, "alt_baro": 30_000, "squawk": "1000",
        "seen": 0.1, "seen_pos": 0.1, "messages": 20}  # fmt: skip
OTHER = {"hex": "4b1a25", "type": "mode_s", "alt_baro": 10_000, "seen": 0.5}


def read(*aircraft):
    body = json.dumps({"now": NOW, "messages": 1, "aircraft": aircraft}).encode()
    batch = DocumentReader(Counter()).read(body, NOW, 0.0)
    return {report.hex: report for report in batch.reports}, len(batch.reports)


@pytest.mark.parametrize("order", list(permutations([ADSB, MLAT, OTHER])))
def test_the_most_trusted_of_the_fresh_is_taken_and_completed(order):
    reports, count = read(*order)
    assert count == 2
    one = reports["4b1a24"]
    assert (one.type, one.lat, one.lon, one.gs, one.flight) == ("adsb_icao", 47.0, 8.0, 400, "SWR12")
    assert (one.alt_baro, one.squawk, one.messages) == (30_000, "1000", 100)
    assert set(one.mlat or ()) == {"alt_baro", "squawk"}
    assert (one.at, one.position_at) == (pytest.approx(NOW - 0.1), pytest.approx(NOW - 1.0))


@pytest.mark.parametrize("order", list(permutations([{**ADSB, "seen": 40, "seen_pos": 40}, MLAT])))
def test_a_stale_one_yields_whatever_its_source(order):
    one = read(*order)[0]["4b1a24"]
    assert (one.type, one.lat, one.gs, one.flight) == ("mlat", 47.5, 380, "SWR12")


@pytest.mark.parametrize("order", list(permutations([{**ADSB, "seen_pos": 40}, MLAT])))
def test_a_position_has_an_age_of_its_own(order):
    one = read(*order)[0]["4b1a24"]
    assert (one.type, one.lat, one.gs) == ("adsb_icao", 47.5, 400)
    assert set(one.mlat) >= {"lat", "lon"}


@pytest.mark.parametrize(("source", "altitude"), [("mlat", 30_000), ("mode_s", 20_000)])
@pytest.mark.parametrize("unnamed_at", [0, 1])
def test_one_without_a_source_stands_behind_mlat_and_before_mode_s(source, altitude, unnamed_at):
    reports = [Report("4b1a24", NOW, type=source, alt_baro=30_000)]
    reports.insert(unnamed_at, Report("4b1a24", NOW, alt_baro=20_000))
    assert [report.alt_baro for report in without_duplicates(reports)] == [altitude]
