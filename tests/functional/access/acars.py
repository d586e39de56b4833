"""ACARS messages."""

from tests.functional.access.table import Row

ROWS = (
    Row("GET", "/api/v1/acars/export", "history.export"),
    Row("GET", "/api/v1/acars/labels", "acars.view"),
    Row("GET", "/api/v1/acars/messages", "acars.view"),
    Row("GET", "/api/v1/acars/messages/{id}", "acars.view"),
    Row("GET", "/api/v1/acars/stats", "acars.view"),
)
