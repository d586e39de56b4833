"""Who may keep channels and see deliveries; what belongs to others is not there."""

from tests.functional.access.table import Row

BASE = "/api/v1/alerts"
ROWS = [
    Row("GET", f"{BASE}/channels/", "alerts.view"),
    Row("POST", f"{BASE}/channels/", "alerts.create"),
    Row("GET", f"{BASE}/channels/{{id}}/", "alerts.view"),
    Row("PATCH", f"{BASE}/channels/{{id}}/", "alerts.edit"),
    Row("DELETE", f"{BASE}/channels/{{id}}/", "alerts.delete"),
    Row("POST", f"{BASE}/channels/{{id}}/test/", "alerts.edit"),
    Row("POST", f"{BASE}/channels/{{id}}/rotate-secret/", "alerts.edit"),
    Row("GET", f"{BASE}/deliveries/", "alerts.view"),
    Row("POST", f"{BASE}/deliveries/retry/", "alerts.edit"),
    Row("POST", f"{BASE}/deliveries/{{id}}/retry/", "alerts.edit"),
    Row("GET", f"{BASE}/browsers/", "alerts.view"),
    Row("POST", f"{BASE}/browsers/", "alerts.create"),
    Row("GET", f"{BASE}/browsers/key/", "alerts.view"),
    Row("DELETE", f"{BASE}/browsers/{{id}}/", "alerts.create"),
]
