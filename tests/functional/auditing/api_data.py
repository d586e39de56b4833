"""Known and military aircraft, safety and recordings."""

from __future__ import annotations

from tests.audio import upload
from tests.functional.auditing.world import V1, Write

KNOWN = "/cannonball/known-aircraft/"
ROWS = b"icao_hex,registration,agency_name\nB00002,N2,Reno Police\n"


def add_known(world):
    """A known aircraft; the id."""
    return world.post(KNOWN, {"icao_hex": f"A{world.number():05}", "agency_name": "Fresno Police"})["id"]


def known(world):
    """The path of a new known aircraft."""
    return f"{KNOWN}{add_known(world)}/"


def delete_recording(world):
    number = upload(world.client, headers=world.headers).json["id"]
    world.delete(f"/audio/transmissions/{number}")


WRITES = (
    Write(f"POST {V1}{KNOWN}", "known_aircraft.created", known),
    Write(
        f"PATCH {V1}{KNOWN}{{id}}/",
        "known_aircraft.changed",
        lambda world: world.patch(known(world), {"notes": "Seen"}),
    ),
    Write(f"DELETE {V1}{KNOWN}{{id}}/", "known_aircraft.deleted", lambda world: world.delete(known(world))),
    Write(
        f"POST {V1}{KNOWN}{{id}}/verify/",
        "known_aircraft.changed",
        lambda world: world.post(f"{known(world)}verify/"),
    ),
    Write(
        f"POST {V1}{KNOWN}import/",
        "known_aircraft.imported",
        lambda world: world.send(f"{KNOWN}import/", ROWS, "text/csv"),
    ),
    Write(
        f"POST {V1}/routes/import",
        "routes.import",
        lambda world: world.send("/routes/import", b"SWR100,SWR,100,SWR,LSZH-EGLL\n", "text/csv"),
    ),
    Write(f"DELETE {V1}/routes/table", "routes.delete", lambda world: world.delete("/routes/table")),
    Write(
        f"PUT {V1}/aircraft/airframes/{{icao_hex}}/military",
        "airframe.military_set",
        lambda world: world.put(f"/aircraft/airframes/A{world.number():05}/military", {"military": True}),
    ),
    Write(
        f"PATCH {V1}/safety/settings",
        "safety.settings_changed",
        lambda world: world.patch("/safety/settings", {"proximity_low_nm": 0.7}),
    ),
    Write(f"DELETE {V1}/safety/places", "safety.places_forgotten", lambda world: world.delete("/safety/places")),
    Write(f"DELETE {V1}/audio/transmissions/{{id}}", "transmission.deleted", delete_recording),
)
