"""Who may keep channels and see deliveries; what belongs to others is not there."""

from tests.functional.access.grids import DELETE_OWN, EDIT_OWN, READ
from tests.functional.access.table import Row

BASE = "/api/v1/alerts"
ROWS = [
    Row("GET", f"{BASE}/channels/", READ, "viewer"),
    Row("POST", f"{BASE}/channels/", EDIT_OWN, "operator"),
    Row("GET", f"{BASE}/channels/{{id}}/", READ, "viewer"),
    Row("PATCH", f"{BASE}/channels/{{id}}/", EDIT_OWN, "operator"),
    Row("DELETE", f"{BASE}/channels/{{id}}/", DELETE_OWN, "operator"),
    Row("POST", f"{BASE}/channels/{{id}}/test/", EDIT_OWN, "operator"),
    Row("POST", f"{BASE}/channels/{{id}}/rotate-secret/", EDIT_OWN, "operator"),
    Row("GET", f"{BASE}/deliveries/", READ, "viewer"),
    Row("POST", f"{BASE}/deliveries/retry/", EDIT_OWN, "operator"),
    Row("POST", f"{BASE}/deliveries/{{id}}/retry/", EDIT_OWN, "operator"),
    Row("GET", f"{BASE}/browsers/", READ, "viewer"),
    Row("POST", f"{BASE}/browsers/", EDIT_OWN, "operator"),
    Row("GET", f"{BASE}/browsers/key/", READ, "viewer"),
    Row("DELETE", f"{BASE}/browsers/{{id}}/", EDIT_OWN, "operator"),
]
