"""Flights over an area, and reports about them."""

from __future__ import annotations

from benchmarks._endpoint_costs.entry import Entries, on_row, prepared, read, send
from skywatch.overflights.models import Edition, Report

NEW = {"name": "New", "geofence": 1, "below_ft": 3_000, "every": "week"}

ENTRIES: Entries = {
    "GET /api/v1/overflights": [
        read("a page of 1,000", "/overflights?bbox=7,46,9,48&below_ft=10000&limit=1000"),
    ],
    "GET /api/v1/reports": [read("all that a user may have", "/reports?limit=1000")],
    "POST /api/v1/reports": [prepared(send("a report", "/reports", NEW), lambda i: i.remove(Report, name="New"))],
    "GET /api/v1/reports/{id}": [on_row("one report", "/reports/{id}", Report)],
    "PATCH /api/v1/reports/{id}": [on_row("another height", "/reports/{id}", Report, {"below_ft": 2_000})],
    "DELETE /api/v1/reports/{id}": [on_row("one report", "/reports/{id}", Report)],
    "GET /api/v1/reports/{id}/editions": [on_row("a page of 1,000", "/reports/{id}/editions?limit=1000", Report)],
    "GET /api/v1/reports/{id}/editions/{edition}": [
        read("an edition of another report", "/reports/999999/editions/1", status=(404,)),
    ],
    "GET /api/v1/editions/{id}": [on_row("an edition of 5,000 flights", "/editions/{id}?limit=1000", Edition)],
}
