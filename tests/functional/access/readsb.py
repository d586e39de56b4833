"""Who may see what programs written for readsb ask for: whoever may read live aircraft."""

from tests.functional.access.grids import READ
from tests.functional.access.table import Row

DAY = "/globe_history/{year}/{month}/{day}"
ROWS = [
    Row("GET", "/data/aircraft.json", READ, "viewer"),
    Row("GET", "/data/receiver.json", READ, "viewer"),
    Row("GET", "/data/stats.json", READ, "viewer"),
    Row("GET", "/data/outline.json", READ, "viewer", answer=(200, 404)),
    Row("GET", "/data/history_{number}.json", READ, "viewer", sample="/data/history_999.json"),
    Row(
        "GET",
        "/data/traces/{folder}/trace_recent_{icao_hex}.json",
        READ,
        "viewer",
        sample="/data/traces/20/trace_recent_4b1620.json",
    ),
    Row(
        "GET",
        "/data/traces/{folder}/trace_full_{icao_hex}.json",
        READ,
        "viewer",
        sample="/data/traces/20/trace_full_4b1620.json",
    ),
    Row(
        "GET",
        f"{DAY}/traces/{{folder}}/trace_full_{{icao_hex}}.json",
        READ,
        "viewer",
        sample="/globe_history/2025/06/15/traces/20/trace_full_4b1620.json",
    ),
    Row(
        "GET",
        f"{DAY}/heatmap/{{half_hour}}.bin.ttf",
        READ,
        "viewer",
        sample="/globe_history/2025/06/15/heatmap/30.bin.ttf",
    ),
]
