"""Who may see live aircraft. What of them is shown (military, details) is a matter of the caller's rights."""

from tests.functional.access.table import Row

V1 = "/api/v1/aircraft"
ROWS = [
    Row("GET", V1, "aircraft.view"),
    Row("GET", f"{V1}/airspaces", "aircraft.view"),
    Row("GET", f"{V1}/geojson", "aircraft.view"),
    Row("GET", f"{V1}/nearest", "aircraft.view", sample=f"{V1}/nearest?lat=47&lon=8"),
    Row("GET", f"{V1}/stats", "aircraft.view"),
    Row("GET", f"{V1}/top", "aircraft.view"),
    Row("GET", f"{V1}/trails", "aircraft.view", sample=f"{V1}/trails?icao_hex=4b1620"),
    Row("GET", f"{V1}/{{icao_hex}}", "aircraft.view", sample=f"{V1}/4b1620"),
    Row("GET", f"{V1}/{{icao_hex}}/trail", "aircraft.view", sample=f"{V1}/4b1620/trail"),
    Row("GET", f"{V1}/airframes/{{icao_hex}}", "aircraft.view", sample=f"{V1}/airframes/4b1620"),
    Row(
        "GET",
        f"{V1}/airframes/{{icao_hex}}/military",
        "system.manage",
        sample=f"{V1}/airframes/4b1620/military",
        answer=200,
    ),
    Row("PUT", f"{V1}/airframes/{{icao_hex}}/military", "system.manage", sample=f"{V1}/airframes/4b1620/military"),
    # The map of the region shows where the station is: to whoever sees its aircraft.
    Row("GET", "/api/v1/aircraft/map/region.pmtiles", "aircraft.view", answer=404),
    # Asks for much and changes nothing: it reads, whatever its method.
    Row("POST", f"{V1}/airframes/lookup", "aircraft.view"),
]
