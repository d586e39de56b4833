"""Who may see routes, and who imports and deletes their table."""

from tests.functional.access.table import Row

V1 = "/api/v1/routes"
ROWS = [
    Row("POST", f"{V1}/import", "system.manage", answer=(400, 415)),
    Row("DELETE", f"{V1}/table", "system.manage", answer=204),
    Row("GET", f"{V1}/status", "aircraft.view"),
    Row("GET", f"{V1}/{{callsign}}", "aircraft.view", sample=f"{V1}/SWR100", answer=200),
    Row("POST", "/api/0/routeset", "aircraft.view"),
]
