"""Who may see the state of the service."""

from tests.functional.access.grids import EVERYBODY, READ, READ_MORE
from tests.functional.access.table import Row

V1 = "/api/v1/system"
ROWS = [
    # 503 says that no receiver or no picture is there, which is so in a test.
    Row("GET", f"{V1}/health", EVERYBODY, answer=(200, 503)),
    Row("GET", f"{V1}/info", READ, "viewer"),
    Row("GET", f"{V1}/receivers", READ, "viewer"),
    Row("GET", f"{V1}/receivers/{{name}}/quality", READ, "viewer"),
    Row("GET", f"{V1}/inputs", READ, "viewer"),
    Row("GET", f"{V1}/retention", READ, "viewer"),
    Row("GET", f"{V1}/status", READ, "viewer"),
    Row("GET", f"{V1}/metrics", READ_MORE, "analyst"),
]
