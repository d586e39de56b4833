"""Imports of rules, geofences and watch lists: as much as is taken, and the largest bodies that are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks._endpoint_costs.ask import API, Ask, json_bytes
from benchmarks._endpoint_costs.entry import Entries, Entry, filled
from benchmarks._endpoint_costs.installation import Installation
from benchmarks._endpoint_costs.shapes import RULE, listed, matching, ring, whole_list
from skywatch.alerts.access import MAX_GEOFENCES, MAX_RULES
from skywatch.alerts.models import AlertRule, Geofence, Watchlist
from skywatch.core.polygons.geometry import MAX_VERTICES

SIZE = 16 * 1_048_576
TAKEN, REFUSED = (200,), (400, 409)
GEOJSON, TEXT, CSV = "application/geo+json", "text/plain", "text/csv"
# Expressions that one rule may have.
PATTERNS = 20
Body = Callable[[], bytes]


def rules(what: str, body: Body, status: tuple[int, ...]) -> Entry:
    """An import of rules, into an account that has nothing where it is to be taken."""

    def ask(installation: Installation) -> Ask:
        if status == TAKEN:
            for table in (AlertRule, Geofence, Watchlist):
                installation.remove(table)
        return Ask(f"{API}/alerts/rules/import/", body(), status=status)

    # Half of it as soon as the conditions of a rule are parsed once instead of several times.
    reason = "an upload of up to 16 MiB: 500 rules and all they refer to"
    return Entry(what, ask, allowed_ms=4_000.0, reason=reason)


def fences(what: str, body: Body, status: tuple[int, ...], media_type: str = GEOJSON) -> Entry:
    """An import of geofences, into an account that has none where it is to be taken."""

    def ask(installation: Installation) -> Ask:
        if status == TAKEN:
            installation.remove(Geofence)
        return Ask(f"{API}/alerts/geofences/import/", body(), content_type=media_type, status=status)

    return Entry(
        what, ask, allowed_ms=1_000.0, reason="an upload of up to 16 MiB: 200 geofences with 100,000 positions"
    )


def entries_of_list(what: str, body: Body, media_type: str, status: tuple[int, ...]) -> Entry:
    """An import into a watch list in place of what it has."""

    def ask(installation: Installation) -> Ask:
        path = f"{API}/alerts/watchlists/{installation.new_list()}/import/"
        return Ask(path, body(), content_type=media_type, status=status)

    return Entry(what, ask)


def export_of(conditions: dict[str, Any], count: int = MAX_RULES) -> bytes:
    """An export of so many rules."""
    made = [{"name": f"R{n}", "priority": "info", "conditions": conditions} for n in range(count)]
    return json_bytes({"version": 1, "rules": made})


def export_of_lists(count: int) -> bytes:
    """An export of watch lists as long as they may be."""
    lists = [{"id": n, "name": "L", "entries": whole_list(n)} for n in range(count)]
    return json_bytes({"version": 1, "watchlists": lists})


def collection(count: int, vertices: int) -> bytes:
    """A FeatureCollection of geofences."""
    features = [
        {"type": "Feature", "geometry": ring(vertices, n), "properties": {"name": f"F{n}"}} for n in range(count)
    ]
    return json_bytes({"type": "FeatureCollection", "features": features})


def circles(count: int) -> bytes:
    """So many airspaces of 120 points."""
    circle = "AC D\nAN Zone {}\nAL SFC\nAH FL100\nV X=47:27:30 N 008:33:20 E\nDC {}\n"
    return "".join(circle.format(number, 1 + number % 50) for number in range(count)).encode()


def arcs() -> bytes:
    """One airspace of as many circles as fit."""
    return b"AC D\nV X=47:27:30 N 008:33:20 E\n" + b"DC 5\n" * (SIZE // 5 - 10)


def parts(name: str, part: str) -> Body:
    """An export whose one list is as long as fits."""
    return lambda: filled(f'{{"version":1,"{name}":[', part, "]}", SIZE)


def features(part: str) -> Body:
    """A FeatureCollection whose features are this, as many as fit."""
    return lambda: filled('{"type":"FeatureCollection","features":[', part, "]}", SIZE)


def repeated(line: bytes) -> Body:
    """As many lines as fit."""
    return lambda: line * (SIZE // len(line))


SQUARE = '{"type":"Polygon","coordinates":[[[8,47],[9,47],[9,48],[8,47]]]}'

ENTRIES: Entries = {
    "POST /api/v1/alerts/rules/import/": [
        rules("500 rules", lambda: export_of(RULE["conditions"]), TAKEN),
        rules("500 rules of 20 regular expressions", lambda: export_of(matching(PATTERNS, "(a|b)c")), TAKEN),
        rules("350 rules of 1,000 addresses", lambda: export_of(listed(1), 350), TAKEN),
        rules("2 watch lists of 100,000", lambda: export_of_lists(2), TAKEN),
        rules("20 watch lists of 100,000", lambda: export_of_lists(18), REFUSED),
        rules("350 rules of 5 lists of 1,000", lambda: export_of(listed(5), 350), REFUSED),
        rules("16 MiB of small rules", parts("rules", '{"name":"R{}","conditions":{}}'), REFUSED),
        rules("16 MiB of empty rules", parts("rules", "{ }"), REFUSED),
        rules("16 MiB of watch lists", parts("watchlists", '{"id":{},"name":"L","entries":["4B1620"]}'), REFUSED),
        rules("16 MiB of geofences", parts("geofences", f'{{"id":{{}},"name":"F","geometry":{SQUARE}}}'), REFUSED),
    ],
    "POST /api/v1/alerts/geofences/import/": [
        fences("200 of 100 vertices", lambda: collection(MAX_GEOFENCES, 100), TAKEN),
        fences("10 of 10,000 vertices", lambda: collection(10, MAX_VERTICES - 1), TAKEN),
        fences("60 of 10,000 vertices", lambda: collection(60, MAX_VERTICES - 1), REFUSED),
        fences("20,000 of 4 vertices", lambda: collection(20_000, 4), REFUSED),
        fences("16 MiB of empty features", features("{ }"), REFUSED),
        fences("16 MiB of numbers", features("0"), REFUSED),
        fences("200 airspaces of 120 points", lambda: circles(MAX_GEOFENCES), TAKEN, TEXT),
        fences("20,000 airspaces", lambda: circles(20_000), REFUSED, TEXT),
        fences("16 MiB of arcs", arcs, REFUSED, TEXT),
        fences("16 MiB of empty lines", repeated(b"\n"), REFUSED, TEXT),
    ],
    "POST /api/v1/alerts/watchlists/{id}/import/": [
        entries_of_list("100,000 lines", lambda: "\n".join(whole_list(2)).encode(), TEXT, TAKEN),
        entries_of_list("100,000 rows", lambda: ",HB-X,Swiss\n".join(whole_list(3)).encode(), CSV, TAKEN),
        entries_of_list("16 MiB of lines", repeated(b"4B1620\n"), TEXT, REFUSED),
        entries_of_list("16 MiB of rows", repeated(b"4B1620\n"), CSV, REFUSED),
        entries_of_list("16 MiB of empty lines", repeated(b"\n"), TEXT, REFUSED),
        entries_of_list("16 MiB of empty rows", repeated(b",\n"), CSV, REFUSED),
        entries_of_list("16 MiB of commas", repeated(b","), CSV, REFUSED),
        entries_of_list("16 MiB of faults", repeated(b"?\n"), TEXT, REFUSED),
    ],
}
