"""The live picture and airframes."""

from __future__ import annotations

from benchmarks._endpoint_costs.entry import Entries, read, send
from benchmarks._endpoint_costs.picture import WATCHED
from skywatch.aircraft.schemas import MAX_LOOKUP, MAX_TRAILS

HEXES = ",".join(f"{0x4B0000 + number:06x}" for number in range(MAX_LOOKUP))
TRAILS = ",".join(HEXES.split(",")[:MAX_TRAILS])
# As many values as the head of a request may hold; each is looked for among all aircraft.
NAMES = ",".join(f"SWR{number}*" for number in range(1000))
FLAGS = "military=false&on_ground=false&emergency=false"
BOUNDS = "bbox=-180,-90,180,90&min_altitude_ft=0&max_altitude_ft=99999&min_speed_kt=0&max_speed_kt=9999"
FIELDS = "flight,r,t,lat,lon,alt_baro,gs,track,squawk,category,nic,messages"

ENTRIES: Entries = {
    "GET /api/v1/aircraft": [
        read("a page of 1,000, sorted, every filter", f"/aircraft?limit=1000&sort=-distance&{FLAGS}&{BOUNDS}"),
        read("a page of 1,000 with a choice of fields", f"/aircraft?limit=1000&sort=callsign&fields={FIELDS}"),
        read("1,000 beginnings of callsigns", f"/aircraft?limit=1000&callsign={NAMES}"),
        read("1,000 beginnings of types and of callsigns", f"/aircraft?callsign={NAMES[:12000]}&type={NAMES[:12000]}"),
        read("the last page by registration", "/aircraft?limit=1000&offset=14000&sort=-registration"),
    ],
    "GET /api/v1/aircraft/{icao_hex}": [read("one aircraft with its airframe", f"/aircraft/{WATCHED}")],
    "GET /api/v1/aircraft/{icao_hex}/trail": [read("a full trail", f"/aircraft/{WATCHED}/trail")],
    "GET /api/v1/aircraft/trails": [
        read("an hour of 100 trails", f"/aircraft/trails?icao_hex={TRAILS}&since_s=3600"),
    ],
    "GET /api/v1/aircraft/nearest": [read("the nearest 1,000", "/aircraft/nearest?lat=47&lon=8&limit=1000")],
    "GET /api/v1/aircraft/stats": [read("all aircraft", "/aircraft/stats")],
    "GET /api/v1/aircraft/airspaces": [read("no file: an empty collection", "/aircraft/airspaces")],
    "GET /api/v1/aircraft/map/region.pmtiles": [read("no file", "/aircraft/map/region.pmtiles", status=404)],
    "GET /api/v1/aircraft/top": [read("seven lists of 100", "/aircraft/top?limit=100")],
    "GET /api/v1/aircraft/geojson": [
        read("all aircraft", "/aircraft/geojson"),
        read("1,000 beginnings of callsigns", f"/aircraft/geojson?callsign={NAMES}"),
    ],
    "GET /api/v1/aircraft/airframes/{icao_hex}": [read("one airframe", "/aircraft/airframes/4B0001")],
    "GET /api/v1/aircraft/airframes/{icao_hex}/military": [read("one", "/aircraft/airframes/4B0001/military")],
    "PUT /api/v1/aircraft/airframes/{icao_hex}/military": [
        send("one", "/aircraft/airframes/4B0001/military", {"military": True}),
    ],
    "POST /api/v1/aircraft/airframes/lookup": [
        send("500 airframes", "/aircraft/airframes/lookup", {"icao_hex": HEXES.split(",")}),
    ],
}
