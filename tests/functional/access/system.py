"""Who may see the state of the service."""

from tests.functional.access.table import Row

V1 = "/api/v1/system"
ROWS = [
    # 503 says that no receiver or no picture is there, which is so in a test.
    Row("GET", f"{V1}/health", "open", answer=(200, 503)),
    Row("GET", f"{V1}/info", "system.view_status"),
    Row("GET", f"{V1}/receivers", "system.view_status"),
    Row("GET", f"{V1}/receivers/{{name}}/quality", "system.view_status"),
    Row("GET", f"{V1}/reception", "system.view_status"),
    Row("GET", f"{V1}/inputs", "system.view_status"),
    Row("GET", f"{V1}/retention", "system.view_status"),
    Row("GET", f"{V1}/status", "system.view_status"),
    Row("GET", f"{V1}/metrics", "system.view_metrics"),
]
