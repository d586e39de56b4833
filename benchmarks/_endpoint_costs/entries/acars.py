"""ACARS messages."""

from __future__ import annotations

from urllib.parse import quote

from benchmarks._endpoint_costs.entry import STREAM, Entries, on_row, read
from skywatch.acars.models import AcarsMessage

ALL_TIME = "from=2000-01-01T00:00:00Z&to=2099-01-01T00:00:00Z"
FREQUENT = quote("w* OR r* OR d* OR f* OR g* OR o* OR p* OR e* OR c* OR s*")
EXCLUDING = quote('weather -snow -"request deviation" fuel OR position -wind OR gate -clearance')

ENTRIES: Entries = {
    "GET /api/v1/acars/messages": [
        read("a page of 1,000", "/acars/messages?limit=1000"),
        read("a late page of 1,000, filtered", "/acars/messages?limit=1000&offset=15000&kind=position&flight=LX22"),
        read("many beginnings of words", f"/acars/messages?limit=1000&q={FREQUENT}&{ALL_TIME}"),
        read("many beginnings of words, a late page", f"/acars/messages?limit=1000&offset=15000&q={FREQUENT}"),
        read("words without others", f"/acars/messages?limit=1000&q={EXCLUDING}&station=roof"),
        read("a station that is not there", "/acars/messages?limit=1000&station=zeppelin"),
    ],
    "GET /api/v1/acars/export": [
        read(what, f"/acars/export?{query}", is_stream=True, reason=STREAM)
        for what, query in (
            ("all as csv", "format=csv"),
            ("all as jsonl", "format=jsonl"),
            ("many beginnings of words", f"format=jsonl&q={FREQUENT}&{ALL_TIME}"),
            ("words without others", f"format=csv&q={EXCLUDING}&station=roof"),
        )
    ],
    "GET /api/v1/acars/messages/{id}": [on_row("one message", "/acars/messages/{id}", AcarsMessage)],
    "GET /api/v1/acars/labels": [read("all labels", "/acars/labels?limit=1000")],
    "GET /api/v1/acars/stats": [read("all that was received", f"/acars/stats?{ALL_TIME}")],
}
