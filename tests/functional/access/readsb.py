"""Who may see what programs written for readsb ask for: whoever may read live aircraft."""

from tests.functional.access.table import Row

DAY = "/globe_history/{year}/{month}/{day}"
POINTS = (
    ("point/{lat}/{lon}/{radius}", "point/47/8/50"),
    ("lat/{lat}/lon/{lon}/dist/{radius}", "lat/47/lon/8/dist/50"),
    ("closest/{lat}/{lon}/{radius}", "closest/47/8/50"),
)
ROWS = [
    Row("GET", "/data/aircraft.json", "aircraft.view"),
    Row("GET", "/data/aircraft.binCraft", "aircraft.view"),
    Row("GET", "/data/aircraft.binCraft.zst", "aircraft.view"),
    Row("GET", "/data/receiver.json", "aircraft.view"),
    Row("GET", "/re-api/", "aircraft.view", sample="/re-api/?all"),
    *(Row("GET", f"/v2/{name}", "aircraft.view") for name in ("all", "mil", "pia", "ladd")),
    *(
        Row("GET", f"/v2/{name}/{{text}}", "aircraft.view", sample=f"/v2/{name}/7700", answer=200)
        for name in ("squawk", "sqk", "type", "callsign")
    ),
    *(
        Row("GET", f"/v2/{name}/{{text}}", "aircraft.view", sample=f"/v2/{name}/4b1620", answer=200)
        for name in ("hex", "icao")
    ),
    # A list without a name: by registration also needs aircraft.view_details.
    *(
        Row("GET", f"/v2/{name}/{{text}}", "aircraft.view", sample=f"/v2/{name}/,", answer=400)
        for name in ("registration", "reg")
    ),
    *(Row("GET", f"/v2/{path}", "aircraft.view", sample=f"/v2/{sample}", answer=200) for path, sample in POINTS),
    Row("GET", "/data/stats.json", "aircraft.view"),
    Row("GET", "/data/outline.json", "aircraft.view", answer=(200, 404)),
    Row("GET", "/data/history_{number}.json", "aircraft.view", sample="/data/history_999.json"),
    Row(
        "GET",
        "/data/traces/{folder}/trace_recent_{icao_hex}.json",
        "aircraft.view",
        sample="/data/traces/20/trace_recent_4b1620.json",
    ),
    Row(
        "GET",
        "/data/traces/{folder}/trace_full_{icao_hex}.json",
        "aircraft.view",
        sample="/data/traces/20/trace_full_4b1620.json",
    ),
    Row(
        "GET",
        f"{DAY}/traces/{{folder}}/trace_full_{{icao_hex}}.json",
        "aircraft.view",
        sample="/globe_history/2025/06/15/traces/20/trace_full_4b1620.json",
    ),
    Row(
        "GET",
        f"{DAY}/heatmap/{{half_hour}}.bin.ttf",
        "aircraft.view",
        sample="/globe_history/2025/06/15/heatmap/30.bin.ttf",
    ),
]
