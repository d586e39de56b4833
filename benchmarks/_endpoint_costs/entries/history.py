"""What was recorded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks._endpoint_costs.ask import API, Ask
from benchmarks._endpoint_costs.entry import STREAM, Entries, Entry, on_row, read
from benchmarks._endpoint_costs.installation import Installation
from benchmarks._endpoint_costs.past import STAYING
from skywatch.history.models import Flight

# No span costs more than a day of 200 aircraft: of a fuller one a share is evaluated.
EVALUATION: dict[str, Any] = {
    "allowed_ms": 1_500.0,
    "reason": "reads as much of history as a day of 200 aircraft; two at a time",
}


def span(what: str, path: str, days: float, **kw: object) -> Entry:
    """A request about the days until now."""

    def ask(installation: Installation) -> Ask:
        installation.forget()
        now = datetime.now(UTC)
        times = f"from={now - timedelta(days=days):%Y-%m-%dT%H:%M:%SZ}&to={now:%Y-%m-%dT%H:%M:%SZ}"
        return Ask(f"{API}{path}{'&' if '?' in path else '?'}{times}")

    return Entry(what, ask, **kw)  # type: ignore[arg-type]


def past_picture(installation: Installation) -> Ask:
    """The sky at some moment of the day."""
    at = datetime.now(UTC) - timedelta(hours=3, minutes=7 * installation.number())
    return Ask(f"{API}/history/picture?at={at:%Y-%m-%dT%H:%M:%SZ}")


ENTRIES: Entries = {
    "GET /api/v1/history/flights": [
        read("a page of 1,000", "/history/flights?limit=1000"),
        read("a late page of 1,000, by altitude", "/history/flights?limit=1000&offset=3000&max_altitude_ft=50000"),
        read("what nothing matches", "/history/flights?limit=1000&min_altitude_ft=99999&from=2000-01-01T00:00:00Z"),
    ],
    "GET /api/v1/history/flights/{flight_id}": [on_row("one flight", "/history/flights/{id}", Flight)],
    "GET /api/v1/history/flights/{flight_id}/track": [
        on_row("the longest flight", "/history/flights/{id}/track", "longest flight"),
        on_row("the longest flight as KML", "/history/flights/{id}/track?format=kml", "longest flight"),
        on_row("the longest flight as GPX", "/history/flights/{id}/track?format=gpx", "longest flight"),
    ],
    "GET /api/v1/history/tracks/{icao_hex}": [
        span("31 days of one that was always in sight", f"/history/tracks/{STAYING}", 30.9),
    ],
    "GET /api/v1/history/picture": [Entry("a moment of the day", past_picture)],
    "GET /api/v1/history/replay": [
        span("an hour, every 0.5 s", "/history/replay?step_s=0.5", 1 / 24, is_stream=True, reason=STREAM),
        span("a day, every hour", "/history/replay?step_s=3600", 1.0, is_stream=True, reason=STREAM),
    ],
    "GET /api/v1/history/timeline": [span("7 days in 500 parts", "/history/timeline?bins=500", 6.9)],
    "GET /api/v1/history/export": [
        span(f"a day as {kind}", f"/history/export?format={kind}", 1.0, is_stream=True, reason=STREAM)
        for kind in ("csv", "geojson", "kml", "gpx", "parquet")
    ],
    "GET /api/v1/history/stats": [span("ten years", "/history/stats", 3650.0)],
    "GET /api/v1/history/stats/export": [span("ten years", "/history/stats/export", 3650.0)],
    "GET /api/v1/history/heatmap": [
        span("31 days in the finest cells", "/history/heatmap?cell_deg=0.01", 30.9, **EVALUATION),
        span("31 days of some altitudes", "/history/heatmap?cell_deg=1&min_altitude_ft=1", 30.9, **EVALUATION),
    ],
    # The installation has no archive; in one, a process of its own answers.
    "GET /api/v1/history/hotspots": [read("without an archive", "/history/hotspots", status=(503,))],
    "GET /api/v1/history/coverage": [
        span("31 days", "/history/coverage", 30.9, **EVALUATION),
        span(
            "31 days of some altitudes", "/history/coverage?min_altitude_ft=1&max_altitude_ft=30000", 30.9, **EVALUATION
        ),
    ],
}
