"""ACARS messages."""

from tests.functional.access.grids import READ, READ_MORE
from tests.functional.access.table import Row

ROWS = (
    Row("GET", "/api/v1/acars/export", READ_MORE, "analyst"),
    Row("GET", "/api/v1/acars/labels", READ, "viewer"),
    Row("GET", "/api/v1/acars/messages", READ, "viewer"),
    Row("GET", "/api/v1/acars/messages/{id}", READ, "viewer"),
    Row("GET", "/api/v1/acars/stats", READ, "viewer"),
)
