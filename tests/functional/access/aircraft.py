"""Who may see live aircraft. What of them is shown (military, details) is a matter of the caller's rights."""

from tests.functional.access.grids import READ
from tests.functional.access.table import Row

V1 = "/api/v1/aircraft"
ROWS = [
    Row("GET", V1, READ, "viewer"),
    Row("GET", f"{V1}/airspaces", READ, "viewer"),
    Row("GET", f"{V1}/geojson", READ, "viewer"),
    Row("GET", f"{V1}/nearest", READ, "viewer", sample=f"{V1}/nearest?lat=47&lon=8"),
    Row("GET", f"{V1}/stats", READ, "viewer"),
    Row("GET", f"{V1}/top", READ, "viewer"),
    Row("GET", f"{V1}/{{icao_hex}}", READ, "viewer", sample=f"{V1}/4b1620"),
    Row("GET", f"{V1}/{{icao_hex}}/trail", READ, "viewer", sample=f"{V1}/4b1620/trail"),
    Row("GET", f"{V1}/airframes/{{icao_hex}}", READ, "viewer", sample=f"{V1}/airframes/4b1620"),
    # Asks for much and changes nothing: it reads, whatever its method.
    Row("POST", f"{V1}/airframes/lookup", READ, "viewer"),
]
