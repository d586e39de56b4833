"""Safety events, regions, thresholds and places."""

from __future__ import annotations

from datetime import timedelta

from benchmarks._endpoint_costs.entry import Entries, on_row, prepared, read, send
from benchmarks._endpoint_costs.population import add_places
from skywatch.core.clock import to_iso, utcnow
from skywatch.safety.models import SafetyEvent
from skywatch.safety.thresholds.thresholds import FIELDS, meaning_of

ALL_TIME = "from=2000-01-01T00:00:00Z&to=2099-01-01T00:00:00Z"

ENTRIES: Entries = {
    "GET /api/v1/safety/events": [
        read("a page of 1,000", "/safety/events?limit=1000"),
        read(
            "a late page of 1,000, filtered",
            f"/safety/events?limit=1000&offset=15000&type=proximity&severity=warning&acknowledged=false&{ALL_TIME}",
        ),
    ],
    "GET /api/v1/safety/events/active": [read("a page of 1,000", "/safety/events/active?limit=1000")],
    "GET /api/v1/safety/events/{id}": [on_row("one event", "/safety/events/{id}", SafetyEvent)],
    "POST /api/v1/safety/events/{id}/acknowledge": [
        on_row("one event", "/safety/events/{id}/acknowledge", SafetyEvent),
    ],
    "GET /api/v1/safety/stats": [read("all that there were", f"/safety/stats?{ALL_TIME}")],
    "GET /api/v1/safety/areas": [
        read("as they are now", "/safety/areas"),
        read("a moment of the past", f"/safety/areas?at={to_iso(utcnow() - timedelta(hours=1))}"),
    ],
    "GET /api/v1/safety/settings": [read("all thresholds", "/safety/settings")],
    "PATCH /api/v1/safety/settings": [
        send("all thresholds", "/safety/settings", {name: meaning_of(name).minimum for name in FIELDS}),
    ],
    "GET /api/v1/safety/places": [
        read("a page of 1,000", "/safety/places?limit=1000"),
        read("a late page of 1,000", "/safety/places?limit=1000&offset=15000&runways=true"),
    ],
    "DELETE /api/v1/safety/places": [prepared(read("all of them", "/safety/places"), add_places)],
}
