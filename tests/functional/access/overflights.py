"""Who may see who flies over a place, and have reports of it."""

from tests.functional.access.table import Row

V1 = "/api/v1"
ROWS = [
    Row("GET", f"{V1}/overflights", "history.view", f"{V1}/overflights?bbox=8,47,9,48"),
    Row("GET", f"{V1}/reports", "history.view:own"),
    Row("POST", f"{V1}/reports", "history.view:own"),
    Row("GET", f"{V1}/reports/{{id}}", "history.view:own"),
    Row("PATCH", f"{V1}/reports/{{id}}", "history.view:own"),
    Row("DELETE", f"{V1}/reports/{{id}}", "history.view:own"),
    Row("GET", f"{V1}/reports/{{id}}/editions", "history.view:own"),
    Row("GET", f"{V1}/reports/{{id}}/editions/{{edition}}", "history.view:own"),
    Row("GET", f"{V1}/editions/{{id}}", "history.view:own"),
]
