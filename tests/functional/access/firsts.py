"""Who may see firsts, records, the journal and what is worth a look; military aircraft are a matter of rights."""

from tests.functional.access.table import Row

V1 = "/api/v1"
ROWS = [
    Row("GET", f"{V1}/firsts", "history.view"),
    Row("GET", f"{V1}/records", "history.view"),
    Row("GET", f"{V1}/journal", "history.view"),
    Row("GET", f"{V1}/worth-a-look", "aircraft.view", also="history.view"),
]
