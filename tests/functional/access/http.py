"""Who may read the description of the API."""

from tests.functional.access.grids import OPEN, PAGE
from tests.functional.access.table import Row

ROWS = [
    Row("GET", "/api/v1/openapi.json", OPEN),
    Row("GET", "/api/v1/docs", PAGE),
]
