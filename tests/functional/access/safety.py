"""Who may see and acknowledge safety events. Events with military aircraft are a matter of the caller's rights."""

from tests.functional.access.grids import ACKNOWLEDGE, MANAGE, READ
from tests.functional.access.table import Row

V1 = "/api/v1/safety"
ROWS = [
    Row("GET", f"{V1}/events", READ, "viewer"),
    Row("GET", f"{V1}/events/active", READ, "viewer"),
    Row("GET", f"{V1}/events/{{id}}", READ, "viewer"),
    Row("POST", f"{V1}/events/{{id}}/acknowledge", ACKNOWLEDGE, "operator"),
    Row("GET", f"{V1}/stats", READ, "viewer"),
    Row("GET", f"{V1}/areas", READ, "viewer"),
    Row("GET", f"{V1}/settings", READ, "viewer"),
    Row("PATCH", f"{V1}/settings", MANAGE, "admin"),
    Row("GET", f"{V1}/places", MANAGE, "admin"),
    Row("DELETE", f"{V1}/places", MANAGE, "admin", answer=200),
]
