"""Who may read the description of the API and the roots of its areas."""

from tests.functional.access.table import Row
from tests.rights import READING, SCOPES

ROWS = [
    Row("GET", "/api/v1/", "open_unless_private"),
    # The root of aircraft is its list.
    *(Row("GET", f"/api/v1/{area}/", READING[area]) for area in SCOPES if area != "aircraft"),
    Row("GET", "/api/v1/openapi.json", "open"),
    Row("GET", "/api/v1/asyncapi.json", "open"),
    Row("GET", "/api/v1/asyncapi.yaml", "open"),
    Row("GET", "/api/v1/docs", "open"),
    # Each tool needs what its call needs; while it is switched off there is nothing.
    Row("POST", "/mcp", "identified"),
]
