"""Feeders: their records show where people live, so that no key reaches them."""

from tests.functional.access.grids import EDIT_OWN_BY_LOGIN, MANAGE_BY_LOGIN, READ_BY_LOGIN
from tests.functional.access.table import Row

BASE = "/api/v1/feeders"
ROWS = (
    Row("GET", f"{BASE}/", READ_BY_LOGIN, "viewer"),
    Row("POST", f"{BASE}/", EDIT_OWN_BY_LOGIN, "operator"),
    Row("GET", f"{BASE}/{{id}}/", READ_BY_LOGIN, "viewer"),
    Row("PATCH", f"{BASE}/{{id}}/", EDIT_OWN_BY_LOGIN, "operator"),
    Row("DELETE", f"{BASE}/{{id}}/", MANAGE_BY_LOGIN, "operator"),
    Row("GET", f"{BASE}/{{id}}/quality", READ_BY_LOGIN, "viewer"),
    Row("GET", f"{BASE}/{{id}}/coverage", READ_BY_LOGIN, "viewer"),
    Row("POST", f"{BASE}/{{id}}/rotate/", EDIT_OWN_BY_LOGIN, "operator"),
)
