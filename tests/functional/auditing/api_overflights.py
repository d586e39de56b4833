"""Reports of overflights."""

from __future__ import annotations

from tests.functional.auditing.api_alerts import FENCE
from tests.functional.auditing.world import V1, Write


def report(world):
    """The path of a new report."""
    fence = world.post("/alerts/geofences/", FENCE)["id"]
    body = {"name": "Village", "geofence": fence, "below_ft": 3000, "every": "day"}
    return f"/reports/{world.post('/reports', body)['id']}"


WRITES = (
    Write(f"POST {V1}/reports", "report.created", report),
    Write(f"PATCH {V1}/reports/{{id}}", "report.changed", lambda world: world.patch(report(world), {"every": "week"})),
    Write(f"DELETE {V1}/reports/{{id}}", "report.deleted", lambda world: world.delete(report(world))),
)
