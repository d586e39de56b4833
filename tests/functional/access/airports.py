"""Who may see airports and their boards. Movements of military aircraft are a matter of the caller's rights."""

from tests.functional.access.table import Row

V1 = "/api/v1/airports"
ROWS = [
    Row("GET", V1, "aircraft.view"),
    Row("GET", f"{V1}/{{ident}}", "aircraft.view"),
    Row("GET", f"{V1}/{{ident}}/board", "history.view"),
]
