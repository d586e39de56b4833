"""Who may keep rules, geofences and watch lists and read alerts; what belongs to others is not there."""

from tests.functional.access.table import Row

BASE = "/api/v1/alerts"
ROWS = [
    Row("GET", f"{BASE}/rules/", "alerts.view"),
    Row("POST", f"{BASE}/rules/", "alerts.create"),
    Row("GET", f"{BASE}/rules/{{id}}/", "alerts.view"),
    Row("PATCH", f"{BASE}/rules/{{id}}/", "alerts.edit"),
    Row("DELETE", f"{BASE}/rules/{{id}}/", "alerts.delete"),
    Row("POST", f"{BASE}/rules/{{id}}/subscribe/", "alerts.create"),
    Row("DELETE", f"{BASE}/rules/{{id}}/subscribe/", "alerts.create"),
    Row("POST", f"{BASE}/rules/{{id}}/test/", "alerts.view"),
    Row("POST", f"{BASE}/rules/test/", "alerts.view"),
    Row("GET", f"{BASE}/rules/export/", "alerts.view"),
    Row("POST", f"{BASE}/rules/import/", "alerts.create:write"),
    Row("GET", f"{BASE}/geofences/", "alerts.view"),
    Row("POST", f"{BASE}/geofences/", "alerts.create"),
    Row("GET", f"{BASE}/geofences/export/", "alerts.view"),
    Row("POST", f"{BASE}/geofences/import/", "alerts.create:write"),
    Row("GET", f"{BASE}/geofences/{{id}}/", "alerts.view"),
    Row("PATCH", f"{BASE}/geofences/{{id}}/", "alerts.edit"),
    Row("DELETE", f"{BASE}/geofences/{{id}}/", "alerts.delete"),
    Row("GET", f"{BASE}/watchlists/", "alerts.view"),
    Row("POST", f"{BASE}/watchlists/", "alerts.create"),
    Row("GET", f"{BASE}/watchlists/{{id}}/", "alerts.view"),
    Row("PATCH", f"{BASE}/watchlists/{{id}}/", "alerts.edit"),
    Row("DELETE", f"{BASE}/watchlists/{{id}}/", "alerts.delete"),
    Row("POST", f"{BASE}/watchlists/{{id}}/import/", "alerts.edit:write", answer=415),
    Row("GET", f"{BASE}/history/", "alerts.view"),
    Row("GET", f"{BASE}/history/{{id}}/", "alerts.view"),
    Row("POST", f"{BASE}/history/{{id}}/acknowledge/", "personal_read", answer=404),
    Row("POST", f"{BASE}/history/acknowledge-all/", "personal_read", answer=200),
    Row("GET", f"{BASE}/stats/", "alerts.view"),
]
