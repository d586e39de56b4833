"""Feeders: their records show where people live, so that no key reaches them."""

from tests.functional.access.table import Row

BASE = "/api/v1/feeders"
ROWS = (
    Row("GET", f"{BASE}/", "feeders.view"),
    Row("POST", f"{BASE}/", "feeders.own"),
    Row("GET", f"{BASE}/{{id}}/", "feeders.view"),
    Row("PATCH", f"{BASE}/{{id}}/", "feeders.own"),
    Row("DELETE", f"{BASE}/{{id}}/", "feeders.own:write"),
    Row("GET", f"{BASE}/{{id}}/quality", "feeders.view"),
    Row("GET", f"{BASE}/{{id}}/coverage", "feeders.view"),
    Row("POST", f"{BASE}/{{id}}/rotate/", "feeders.own"),
)
