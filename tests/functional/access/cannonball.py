"""Who may use the law-enforcement aircraft tracking; keys need its optional scope and manage nothing."""

from tests.functional.access.table import Row

BASE = "/api/v1/cannonball"
KNOWN = f"{BASE}/known-aircraft"
ROWS = [
    Row("GET", f"{KNOWN}/", "cannonball.view:view"),
    Row("GET", f"{KNOWN}/check/{{icao_hex}}/", "cannonball.view:view", sample=f"{KNOWN}/check/4b1620/", answer=200),
    Row("GET", f"{KNOWN}/stats/", "cannonball.view:view"),
    Row("POST", f"{KNOWN}/", "cannonball.manage"),
    Row("POST", f"{KNOWN}/import/", "cannonball.manage", answer=(400, 415)),
    Row("GET", f"{KNOWN}/{{id}}/", "cannonball.manage"),
    Row("PATCH", f"{KNOWN}/{{id}}/", "cannonball.manage"),
    Row("DELETE", f"{KNOWN}/{{id}}/", "cannonball.manage"),
    Row("POST", f"{KNOWN}/{{id}}/verify/", "cannonball.manage"),
    Row("GET", f"{BASE}/location/", "cannonball.view", answer=404),
    Row("PUT", f"{BASE}/location/", "personal_write"),
    Row("DELETE", f"{BASE}/location/", "personal_write", answer=204),
    Row("GET", f"{BASE}/sessions/active/", "cannonball.view"),
    Row("GET", f"{BASE}/sessions/", "cannonball.view"),
    Row("GET", f"{BASE}/sessions/{{id}}/", "cannonball.view"),
    Row("POST", f"{BASE}/sessions/{{id}}/end/", "personal_write"),
    Row("GET", f"{BASE}/patterns/", "cannonball.view"),
    Row("GET", f"{BASE}/alerts/", "cannonball.view"),
    Row("POST", f"{BASE}/alerts/acknowledge-all/", "personal_write", answer=200),
    Row("GET", f"{BASE}/alerts/{{id}}/", "cannonball.view"),
    Row("POST", f"{BASE}/alerts/{{id}}/acknowledge/", "personal_write", answer=404),
    Row("POST", f"{BASE}/alerts/{{id}}/announced/", "personal_write", answer=404),
]
