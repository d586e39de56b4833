"""Who may use the law-enforcement aircraft tracking; keys need its optional scope and manage nothing."""

from tests.functional.access.grids import MANAGE_BY_LOGIN, PERSONAL
from tests.functional.access.table import Row

BASE = "/api/v1/cannonball"
KNOWN = f"{BASE}/known-aircraft"
ROWS = [
    Row("GET", f"{KNOWN}/", PERSONAL, "viewer"),
    Row("GET", f"{KNOWN}/check/{{icao_hex}}/", PERSONAL, "viewer", sample=f"{KNOWN}/check/4b1620/", answer=200),
    Row("GET", f"{KNOWN}/stats/", PERSONAL, "viewer"),
    Row("POST", f"{KNOWN}/", MANAGE_BY_LOGIN, "admin"),
    Row("POST", f"{KNOWN}/import/", MANAGE_BY_LOGIN, "admin", answer=(400, 415)),
    Row("GET", f"{KNOWN}/{{id}}/", MANAGE_BY_LOGIN, "admin"),
    Row("PATCH", f"{KNOWN}/{{id}}/", MANAGE_BY_LOGIN, "admin"),
    Row("DELETE", f"{KNOWN}/{{id}}/", MANAGE_BY_LOGIN, "admin"),
    Row("POST", f"{KNOWN}/{{id}}/verify/", MANAGE_BY_LOGIN, "admin"),
    Row("GET", f"{BASE}/location/", PERSONAL, "viewer", answer=404),
    Row("PUT", f"{BASE}/location/", PERSONAL, "viewer"),
    Row("DELETE", f"{BASE}/location/", PERSONAL, "viewer", answer=204),
    Row("GET", f"{BASE}/sessions/active/", PERSONAL, "viewer"),
    Row("GET", f"{BASE}/sessions/", PERSONAL, "viewer"),
    Row("GET", f"{BASE}/sessions/{{id}}/", PERSONAL, "viewer"),
    Row("POST", f"{BASE}/sessions/{{id}}/end/", PERSONAL, "viewer"),
    Row("GET", f"{BASE}/patterns/", PERSONAL, "viewer"),
    Row("GET", f"{BASE}/alerts/", PERSONAL, "viewer"),
    Row("POST", f"{BASE}/alerts/acknowledge-all/", PERSONAL, "viewer"),
    Row("GET", f"{BASE}/alerts/{{id}}/", PERSONAL, "viewer"),
    Row("POST", f"{BASE}/alerts/{{id}}/acknowledge/", PERSONAL, "viewer"),
    Row("POST", f"{BASE}/alerts/{{id}}/announced/", PERSONAL, "viewer"),
]
