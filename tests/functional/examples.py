"""The requests that the manual shows with their answers, in its order: at least one for each group of endpoints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.functional.slices import slices

# A moment of the recorded hour.
FROM, TO = "2025-06-15T15:10:00Z", "2025-06-15T15:11:30Z"
SQUARE = {
    "type": "Polygon",
    "coordinates": [[[8.4, 47.3], [8.8, 47.3], [8.8, 47.6], [8.4, 47.6], [8.4, 47.3]]],
}


@dataclass(frozen=True)
class Example:
    """One request; ``keep`` names its answer's id for the paths and bodies of later ones, as ``{name}``."""

    title: str
    method: str
    path: str
    body: Any = None
    keep: str = ""
    files: tuple[str, ...] = ()
    # Members of the answer that are shown; all if empty.
    only: tuple[str, ...] = ()
    is_anonymous: bool = False


def get(title: str, path: str, *only: str, is_anonymous: bool = False) -> Example:
    """A request for something to read."""
    return Example(title, "GET", path, only=only, is_anonymous=is_anonymous)


def post(title: str, path: str, body: Any, keep: str = "") -> Example:
    """A request that makes something."""
    return Example(title, "POST", path, body, keep)


V1 = "/api/v1"
EXAMPLES: dict[str, list[Example]] = {
    "auth": [
        Example("Log in", "POST", f"{V1}/auth/login", {"username": "ada", "password": "{password}"}, is_anonymous=True),
        get("How a client may log in, and where the real-time channel is", f"{V1}/auth/config", is_anonymous=True),
        get("Who am I", f"{V1}/auth/profile"),
        get("What may I do", f"{V1}/auth/my-permissions"),
    ],
    "aircraft": [
        get("Aircraft in an area above 10,000 ft", f"{V1}/aircraft?bbox=5.9,45.8,10.5,47.8&min_altitude_ft=10000"),
        get("One aircraft", f"{V1}/aircraft/4B1620"),
        get("The nearest to a place", f"{V1}/aircraft/nearest?lat=47.4&lon=8.5&limit=1"),
        get("The picture in numbers", f"{V1}/aircraft/stats"),
        get("What is known of an airframe", f"{V1}/aircraft/airframes/4B1620"),
    ],
    "airports": [
        get("Airports by name", f"{V1}/airports?q=zurich&limit=1"),
        get("An airport and its runways", f"{V1}/airports/LSZH"),
        get("What lands at it", f"{V1}/airports/LSZH/board?direction=arrivals"),
    ],
    "overflights": [get("Who flew low over a box", f"{V1}/overflights?bbox=8.4,47.3,8.6,47.5&below_ft=3000&limit=1")],
    "routes": [
        Example(
            "Ask as tar1090 does",
            "POST",
            "/api/0/routeset",
            {"planes": [{"callsign": "SWR100", "lat": 47.4, "lng": 8.5}]},
        ),
        get("Where a callsign comes from and goes to", f"{V1}/routes/SWR100"),
        get("How many routes are known", f"{V1}/routes/status"),
    ],
    "firsts": [
        get("Types by when they were first seen", f"{V1}/firsts?kind=type&limit=1"),
        get("A day of the station", f"{V1}/journal"),
        get("The records of the station", f"{V1}/records"),
        get("What is worth a look now", f"{V1}/worth-a-look?limit=1"),
    ],
    "data": [get("For programs written for readsb", "/data/aircraft.json")],
    "re-api": [get("For programs written for readsb's API", "/re-api/?all&jv2")],
    "v2": [get("For programs written for ADSBexchange's v2 interface", "/v2/hex/4b1620")],
    "history": [
        get("Flights of an airline", f"{V1}/history/flights?callsign=SWR*&limit=1"),
        get("What flew at a moment", f"{V1}/history/picture?at={FROM}"),
        get("Tracks", f"{V1}/history/tracks/4B1620?from={FROM}&to={TO}"),
        get("A track as GPX", f"{V1}/history/export?format=gpx&icao_hex=4B1620&from={FROM}&to={TO}"),
    ],
    "alerts": [
        post("Draw a geofence", f"{V1}/alerts/geofences", {"name": "Airport", "geometry": SQUARE}, "fence"),
        post(
            "Be told of what comes low into it",
            f"{V1}/alerts/rules",
            {
                "name": "Low over the airport",
                "priority": "warning",
                "conditions": {
                    "all": [
                        {"field": "geofence", "op": "within", "value": "{fence}"},
                        {"field": "alt_baro", "op": "lt", "value": 3000},
                    ]
                },
            },
            "rule",
        ),
        get("Rules", f"{V1}/alerts/rules"),
        get("What was announced", f"{V1}/alerts/history"),
    ],
    "safety": [
        get("What is dangerous now", f"{V1}/safety/events/active"),
        get("In numbers", f"{V1}/safety/stats"),
    ],
    "acars": [get("Messages of an aircraft", f"{V1}/acars/messages?registration=N12345")],
    "audio": [
        Example(
            "Store a recording",
            "POST",
            f"{V1}/audio/transmissions",
            {"channel": "Tower", "at": "2026-01-31T12:00:00Z"},
            files=("tower.wav",),
        ),
        get("Channels", f"{V1}/audio/channels"),
    ],
    "cannonball": [
        Example("Say where you are", "PUT", f"{V1}/cannonball/location", {"lat": 47.4, "lon": 8.5}),
        post(
            "Know an aircraft",
            f"{V1}/cannonball/known-aircraft",
            {"icao_hex": "4B2222", "registration": "HB-ZKP", "agency_name": "Kantonspolizei"},
        ),
        get("Threats", f"{V1}/cannonball/alerts"),
    ],
    "api-keys": [
        post("Make a key for a program", f"{V1}/api-keys", {"name": "wall display", "scopes": ["aircraft"]}),
        get("Keys", f"{V1}/api-keys"),
    ],
    "users": [
        post(
            "Add a user",
            f"{V1}/users",
            {"username": "ben", "email": "ben@example.org", "password": "{password}", "roles": ["viewer"]},
            "user",
        ),
        get("Users", f"{V1}/users?search=ben"),
    ],
    "roles": [
        post(
            "Make a role",
            f"{V1}/roles",
            {"name": "spotter", "display_name": "Spotter", "permissions": ["aircraft.view", "history.view"]},
            "role",
        ),
        get("One role", f"{V1}/roles/{{role}}"),
    ],
    "user-roles": [
        post(
            "Give it until the end of the year",
            f"{V1}/user-roles",
            {"user": "{user}", "role": "{role}", "expires_at": "2099-12-31T23:59:59Z"},
        )
    ],
    "feature-access": [
        Example(
            "Open the live picture to everybody", "PATCH", f"{V1}/feature-access/aircraft", {"read_access": "public"}
        ),
    ],
    "oidc-mappings": [
        post(
            "Members of a group become operators",
            f"{V1}/oidc-mappings",
            {
                "name": "Tower staff",
                "claim_name": "groups",
                "match_type": "exact",
                "claim_value": "tower",
                "role": "operator",
            },
        )
    ],
    "feeders": [
        post("Register a feeder", f"{V1}/feeders/", {"name": "Attic", "lat": 47.46, "lon": 8.55}, "feeder"),
        get("Feeders and their states", f"{V1}/feeders/?limit=1"),
    ],
    "system": [
        get("Does it answer", f"{V1}/system/health?probe=live", is_anonymous=True),
        get("What it is", f"{V1}/system/info"),
        get("Receivers", f"{V1}/system/receivers"),
        get("Who changed what", f"{V1}/system/audit?limit=1"),
    ],
    "openapi": [get("The contract", f"{V1}/openapi.json", "openapi", "info", is_anonymous=True)],
}
EXAMPLES |= {one.name: [post("Send the sample", f"{V1}{one.creating()}", dict(one.sample))] for one in slices()}
