"""Who may hear, add, delete and transcribe transmissions."""

from tests.functional.access.grids import EXCHANGE, READ, WRITE
from tests.functional.access.table import Row

V1 = "/api/v1/audio"
ONE = f"{V1}/transmissions/{{id}}"
ROWS = [
    Row("GET", f"{V1}/transmissions", READ, "viewer"),
    Row("POST", f"{V1}/transmissions", WRITE, "admin", answer=415),
    Row("GET", ONE, READ, "viewer"),
    Row("DELETE", ONE, WRITE, "admin"),
    Row("GET", f"{ONE}/file", READ, "viewer"),
    Row("POST", f"{ONE}/transcribe", WRITE, "analyst"),
    Row("GET", f"{V1}/channels", READ, "viewer"),
    Row("GET", f"{V1}/stats", READ, "viewer"),
    Row("GET", f"{V1}/playlist", READ, "viewer"),
    Row("POST", "/api/call-upload", EXCHANGE, answer=415),
]
