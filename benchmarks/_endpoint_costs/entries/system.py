"""The state of the installation, its audit log and its contract."""

from __future__ import annotations

from benchmarks._endpoint_costs.entry import Entries, read

ALL_TIME = "from=2000-01-01T00:00:00Z&to=2099-01-01T00:00:00Z"

ROOTS = ("", "alerts/", "safety/", "audio/", "acars/", "history/", "system/", "cannonball/")

ENTRIES: Entries = {
    "GET /api/v1/system/health": [read("all checks", "/system/health", status=(200, 503))],
    "GET /api/v1/system/info": [read("as it is", "/system/info")],
    "GET /api/v1/system/status": [read("as it is", "/system/status")],
    "GET /api/v1/system/receivers": [read("a page of 1,000", "/system/receivers?limit=1000")],
    "GET /api/v1/system/inputs": [read("a page of 1,000", "/system/inputs?limit=1000")],
    "GET /api/v1/system/metrics": [read("all figures", "/system/metrics")],
    "GET /api/v1/system/retention": [read("all kinds counted", "/system/retention")],
    "GET /api/v1/system/audit": [
        read("a page of 1,000", "/system/audit?limit=1000"),
        read(
            "a late page of 1,000, filtered",
            f"/system/audit?limit=1000&offset=9000&action=user.changed&actor=bench&{ALL_TIME}",
        ),
        read("what nothing matches", "/system/audit?limit=1000&target_type=user&target_id=zeppelin"),
    ],
    **{f"GET /api/v1/{area}": [read("as it is", f"/{area}")] for area in ROOTS},
    "GET /api/v1/asyncapi.json": [read("the whole document", "/asyncapi.json")],
    "GET /api/v1/asyncapi.yaml": [read("the whole document", "/asyncapi.yaml")],
    "GET /api/v1/openapi.json": [read("the whole document", "/openapi.json")],
    "GET /api/v1/docs": [read("the page", "/docs")],
}
