"""Who may read what was recorded. What of it is shown (military) is a matter of the caller's rights."""

from tests.functional.access.table import Row

V1 = "/api/v1/history"
SPAN = "from=2026-01-01T00:00:00Z&to=2026-01-01T00:10:00Z"
ROWS = [
    Row("GET", f"{V1}/flights", "history.view"),
    Row("GET", f"{V1}/flights/{{flight_id}}", "history.view"),
    Row("GET", f"{V1}/flights/{{flight_id}}/track", "history.view"),
    Row("GET", f"{V1}/tracks/{{icao_hex}}", "history.view", sample=f"{V1}/tracks/4b1620?{SPAN}", answer=200),
    Row("GET", f"{V1}/picture", "history.view", sample=f"{V1}/picture?at=2026-01-01T00:00:00Z"),
    Row("GET", f"{V1}/replay", "history.view", sample=f"{V1}/replay?{SPAN}&step_s=60"),
    Row("GET", f"{V1}/timeline", "history.view", sample=f"{V1}/timeline?{SPAN}"),
    Row("GET", f"{V1}/stats", "history.view"),
    Row("GET", f"{V1}/stats/export", "history.export"),
    Row("GET", f"{V1}/heatmap", "history.view"),
    # Without an archive there is nothing to count.
    Row("GET", f"{V1}/hotspots", "history.view", answer=503),
    # Without a station there is nothing to measure from.
    Row("GET", f"{V1}/coverage", "history.view", answer=409),
    Row("GET", f"{V1}/export", "history.export", sample=f"{V1}/export?format=csv&{SPAN}"),
]
