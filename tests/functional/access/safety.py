"""Who may see and acknowledge safety events. Events with military aircraft are a matter of the caller's rights."""

from tests.functional.access.table import Row

V1 = "/api/v1/safety"
ROWS = [
    Row("GET", f"{V1}/events", "safety.view"),
    Row("GET", f"{V1}/events/active", "safety.view"),
    Row("GET", f"{V1}/events/{{id}}", "safety.view"),
    Row("POST", f"{V1}/events/{{id}}/acknowledge", "safety.acknowledge", answer=404),
    Row("GET", f"{V1}/stats", "safety.view"),
    Row("GET", f"{V1}/areas", "safety.view"),
    Row("GET", f"{V1}/settings", "safety.view"),
    Row("PATCH", f"{V1}/settings", "safety.manage"),
    Row("GET", f"{V1}/places", "safety.manage"),
    Row("DELETE", f"{V1}/places", "safety.manage", answer=200),
]
