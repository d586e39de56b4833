"""Who may keep rules, geofences and watch lists and read alerts; what belongs to others is not there."""

from tests.functional.access.grids import DELETE_OWN, EDIT_OWN, READ
from tests.functional.access.table import Row

BASE = "/api/v1/alerts"
ROWS = [
    Row("GET", f"{BASE}/rules/", READ, "viewer"),
    Row("POST", f"{BASE}/rules/", EDIT_OWN, "operator"),
    Row("GET", f"{BASE}/rules/{{id}}/", READ, "viewer"),
    Row("PATCH", f"{BASE}/rules/{{id}}/", EDIT_OWN, "operator"),
    Row("DELETE", f"{BASE}/rules/{{id}}/", DELETE_OWN, "operator"),
    Row("POST", f"{BASE}/rules/{{id}}/subscribe/", EDIT_OWN, "operator"),
    Row("DELETE", f"{BASE}/rules/{{id}}/subscribe/", EDIT_OWN, "operator"),
    Row("POST", f"{BASE}/rules/{{id}}/test/", READ, "viewer"),
    Row("POST", f"{BASE}/rules/test/", READ, "viewer"),
    Row("GET", f"{BASE}/rules/export/", READ, "viewer"),
    Row("POST", f"{BASE}/rules/import/", DELETE_OWN, "operator"),
    Row("GET", f"{BASE}/geofences/", READ, "viewer"),
    Row("POST", f"{BASE}/geofences/", EDIT_OWN, "operator"),
    Row("GET", f"{BASE}/geofences/export/", READ, "viewer"),
    Row("POST", f"{BASE}/geofences/import/", DELETE_OWN, "operator"),
    Row("GET", f"{BASE}/geofences/{{id}}/", READ, "viewer"),
    Row("PATCH", f"{BASE}/geofences/{{id}}/", EDIT_OWN, "operator"),
    Row("DELETE", f"{BASE}/geofences/{{id}}/", DELETE_OWN, "operator"),
    Row("GET", f"{BASE}/watchlists/", READ, "viewer"),
    Row("POST", f"{BASE}/watchlists/", EDIT_OWN, "operator"),
    Row("GET", f"{BASE}/watchlists/{{id}}/", READ, "viewer"),
    Row("PATCH", f"{BASE}/watchlists/{{id}}/", EDIT_OWN, "operator"),
    Row("DELETE", f"{BASE}/watchlists/{{id}}/", DELETE_OWN, "operator"),
    Row("POST", f"{BASE}/watchlists/{{id}}/import/", DELETE_OWN, "operator", answer=415),
    Row("GET", f"{BASE}/history/", READ, "viewer"),
    Row("GET", f"{BASE}/history/{{id}}/", READ, "viewer"),
    Row("POST", f"{BASE}/history/{{id}}/acknowledge/", READ, "viewer"),
    Row("POST", f"{BASE}/history/acknowledge-all/", READ, "viewer"),
    Row("GET", f"{BASE}/stats/", READ, "viewer"),
]
