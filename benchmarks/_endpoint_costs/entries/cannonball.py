"""Cannonball and the list of known aircraft."""

from __future__ import annotations

from benchmarks._endpoint_costs.ask import API, Ask, json_bytes
from benchmarks._endpoint_costs.entry import Entries, Entry, on_row, prepared, read, send
from benchmarks._endpoint_costs.installation import Installation
from skywatch.cannonball.models import CannonballAlert, CannonballSession, KnownAircraft

BASE = "/cannonball"
HERE = {"lat": 47.4, "lon": 8.5, "radius_nm": 100}
IMPORT_BYTES = 64 * 1_048_576
IMPORT_MS = 40_000.0
IMPORT = "an upload: an administrator's list of up to 500,000 lines is read, compared and stored"


def entry(number: int) -> dict[str, str]:
    """A new entry with long texts."""
    return {"icao_hex": f"{0xD00000 + number:06X}", "agency_name": "Police Department " * 8, "notes": "x" * 10_000}


def import_of(what: str, row: str, *, status: tuple[int, ...] = (200,), **kw: object) -> Entry:
    """An import of as many rows as the largest body holds."""
    head = "icao_hex,registration,agency_name\n"

    def ask(installation: Installation) -> Ask:
        count = IMPORT_BYTES // (len(row.format(0)) + 1) - 10
        count = min(count, installation.sizes.imported - 1)
        body = (head + "".join(f"{row.format(0x1000 + n)}\n" for n in range(count))).encode()
        return Ask(f"{API}{BASE}/known-aircraft/import/", body, content_type="text/csv", status=status)

    return Entry(what, ask, allowed_ms=IMPORT_MS, reason=IMPORT, **kw)  # type: ignore[arg-type]


def locate(installation: Installation) -> None:
    """Say where the administrator is."""
    installation.answer("PUT", Ask(f"{API}{BASE}/location/", json_bytes(HERE)))


ENTRIES: Entries = {
    "GET /api/v1/cannonball/location/": [prepared(read("one that is known", f"{BASE}/location/"), locate)],
    "PUT /api/v1/cannonball/location/": [send("a wide one", f"{BASE}/location/", HERE)],
    "DELETE /api/v1/cannonball/location/": [
        prepared(read("one that is known", f"{BASE}/location/"), locate),
    ],
    "GET /api/v1/cannonball/sessions/": [
        read("a page of 1,000", f"{BASE}/sessions/?limit=1000"),
        read("a late page of 1,000", f"{BASE}/sessions/?limit=1000&offset=15000"),
    ],
    "GET /api/v1/cannonball/sessions/active/": [read("all active ones", f"{BASE}/sessions/active/")],
    "GET /api/v1/cannonball/sessions/{id}/": [on_row("one session", f"{BASE}/sessions/{{id}}/", CannonballSession)],
    "POST /api/v1/cannonball/sessions/{id}/end/": [
        on_row("one session", f"{BASE}/sessions/{{id}}/end/", CannonballSession),
    ],
    "GET /api/v1/cannonball/alerts/": [
        read("a page of 1,000", f"{BASE}/alerts/?limit=1000"),
        read("a late page of 1,000", f"{BASE}/alerts/?limit=1000&offset=15000&icao_hex=000001"),
    ],
    "POST /api/v1/cannonball/alerts/acknowledge-all/": [
        prepared(
            send("all of the caller's", f"{BASE}/alerts/acknowledge-all/", {}),
            lambda i: i.set_all(CannonballAlert, acknowledged=False),
        ),
    ],
    "GET /api/v1/cannonball/alerts/{id}/": [on_row("one alert", f"{BASE}/alerts/{{id}}/", CannonballAlert)],
    "POST /api/v1/cannonball/alerts/{id}/acknowledge/": [
        on_row("one alert", f"{BASE}/alerts/{{id}}/acknowledge/", CannonballAlert),
    ],
    "POST /api/v1/cannonball/alerts/{id}/announced/": [
        on_row("one alert", f"{BASE}/alerts/{{id}}/announced/", CannonballAlert),
    ],
    "GET /api/v1/cannonball/patterns/": [
        read("a page of 1,000", f"{BASE}/patterns/?limit=1000"),
        read("a late page of 1,000", f"{BASE}/patterns/?limit=1000&offset=15000&is_surveillance=true"),
    ],
    "GET /api/v1/cannonball/known-aircraft/": [
        read("a page of 1,000", f"{BASE}/known-aircraft/?limit=1000"),
        read("a search that many match", f"{BASE}/known-aircraft/?limit=1000&search=e"),
        read("a search that nothing matches", f"{BASE}/known-aircraft/?limit=1000&search=zeppelin%20zeppelin"),
    ],
    "POST /api/v1/cannonball/known-aircraft/": [send("long texts", f"{BASE}/known-aircraft/", entry)],
    "GET /api/v1/cannonball/known-aircraft/check/{icao_hex}/": [
        read("one on the list", f"{BASE}/known-aircraft/check/4B0001/"),
    ],
    "GET /api/v1/cannonball/known-aircraft/stats/": [read("the whole list", f"{BASE}/known-aircraft/stats/")],
    "GET /api/v1/cannonball/known-aircraft/{id}/": [
        on_row("one entry", f"{BASE}/known-aircraft/{{id}}/", KnownAircraft),
    ],
    "PATCH /api/v1/cannonball/known-aircraft/{id}/": [
        on_row("long texts", f"{BASE}/known-aircraft/{{id}}/", KnownAircraft, {"notes": "x" * 10_000}),
    ],
    "DELETE /api/v1/cannonball/known-aircraft/{id}/": [
        on_row("one entry", f"{BASE}/known-aircraft/{{id}}/", KnownAircraft),
    ],
    "POST /api/v1/cannonball/known-aircraft/{id}/verify/": [
        on_row("one entry", f"{BASE}/known-aircraft/{{id}}/verify/", KnownAircraft, {}),
    ],
    "POST /api/v1/cannonball/known-aircraft/import/": [
        import_of("as many rows as are accepted", "{:06X},N12345,Sheriff of county 12"),
        import_of("as many faults", "{:06X},?,?,?", status=(400,)),
    ],
}
