"""Alert rules, geofences, watch lists and the history of alerts."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

from benchmarks._endpoint_costs.entry import Entries, filled, on_row, prepared, read, send
from benchmarks._endpoint_costs.installation import Installation
from benchmarks._endpoint_costs.shapes import RULE, listed, matching, ring, whole_list
from skywatch.alerts.models import Alert, AlertRule, Geofence, Watchlist
from skywatch.alerts.rules.trials.schemas import MAX_AIRCRAFT
from skywatch.core.clock import to_iso, utcnow
from skywatch.core.polygons.geometry import MAX_VERTICES

# Expressions that one rule may have, and one that takes longest to compile of those that are taken.
PATTERNS, PATTERN, PATTERNS_NAME = 20, r"(\pL\pN){5}N", "Patterns"
MAX_RUN = timedelta(hours=24)


def past_run(body: dict[str, Any]) -> Any:
    """A dry run over the longest span."""

    def made(number: int) -> dict[str, Any]:
        # One reading of the clock: a moment between two would make the span too long.
        now = utcnow()
        return {**body, "from": to_iso(now - MAX_RUN), "to": to_iso(now)}

    return made


def live_aircraft(number: int) -> list[dict[str, Any]]:
    """As many aircraft as a dry run takes."""
    chance = random.Random(number)
    return [
        {
            "hex": f"{n:06x}",
            "flight": f"SWR{n}",
            "lat": chance.uniform(40, 55),
            "lon": chance.uniform(0, 20),
            "alt_baro": n,
            "gs": 400,
            "track": 90,
        }
        for n in range(MAX_AIRCRAFT)
    ]


def of_patterns(number: int) -> dict[str, Any]:
    """A rule of expressions that no rule had before: each is compiled once."""
    return {"name": PATTERNS_NAME, "conditions": matching(PATTERNS, f"{PATTERN}{number}A")}


def remove_rules(installation: Installation) -> None:
    """Make room for another rule."""
    for name in (OF_LISTS["name"], PATTERNS_NAME):
        installation.remove(AlertRule, name=name)


# Over the usual limit until rules are parsed once instead of five times.
RULE_PARSED: dict[str, Any] = {"allowed_ms": 750.0, "reason": "parses the conditions several times"}
TRIAL: dict[str, Any] = {
    "allowed_ms": 20_000.0,
    "reason": "a dry run reads up to a day of history, within a deadline of 20 s",
}
NEW_RULE = {"name": "Rule", "priority": RULE["priority"], "conditions": RULE["conditions"]}
OF_LISTS = {"name": "Lists", "conditions": listed(90)}
SEARCH = "q=swr22&acknowledged=false"

ENTRIES: Entries = {
    "GET /api/v1/alerts/rules/": [read("a page of 1,000", "/alerts/rules/?limit=1000")],
    "POST /api/v1/alerts/rules/": [
        prepared(send("20 regular expressions", "/alerts/rules/", of_patterns, **RULE_PARSED), remove_rules),
        prepared(send("conditions of 90 lists of 1,000", "/alerts/rules/", OF_LISTS, **RULE_PARSED), remove_rules),
    ],
    "GET /api/v1/alerts/rules/{id}/": [on_row("one rule", "/alerts/rules/{id}/", AlertRule)],
    "PATCH /api/v1/alerts/rules/{id}/": [
        on_row(
            "20 regular expressions",
            "/alerts/rules/{id}/",
            AlertRule,
            lambda number: {"conditions": of_patterns(number)["conditions"]},
            **RULE_PARSED,
        ),
        on_row(
            "conditions of 90 lists of 1,000",
            "/alerts/rules/{id}/",
            "large rule",
            {"conditions": OF_LISTS["conditions"]},
            **RULE_PARSED,
        ),
    ],
    "DELETE /api/v1/alerts/rules/{id}/": [on_row("one rule", "/alerts/rules/{id}/", AlertRule)],
    "POST /api/v1/alerts/rules/{id}/subscribe/": [
        on_row("a rule of another", "/alerts/rules/{id}/subscribe/", "followed", {"channels": []}),
    ],
    "DELETE /api/v1/alerts/rules/{id}/subscribe/": [
        on_row("a rule of another", "/alerts/rules/{id}/subscribe/", "followed"),
    ],
    "GET /api/v1/alerts/rules/export/": [read("all that a user may have", "/alerts/rules/export/")],
    "POST /api/v1/alerts/rules/test/": [
        send(
            "20 regular expressions on the live picture",
            "/alerts/rules/test/",
            lambda number: {"rule": of_patterns(number)},
            **TRIAL,
        ),
        send("90 lists of 1,000 on the live picture", "/alerts/rules/test/", {"rule": OF_LISTS}, **TRIAL),
        send(
            "5,000 aircraft",
            "/alerts/rules/test/",
            lambda number: {"rule": NEW_RULE, "aircraft": live_aircraft(number)},
            **TRIAL,
        ),
        send("24 hours of history", "/alerts/rules/test/", past_run({"rule": NEW_RULE}), **TRIAL),
    ],
    "POST /api/v1/alerts/rules/{id}/test/": [
        on_row("on the live picture", "/alerts/rules/{id}/test/", AlertRule, {}, **TRIAL),
        on_row("5,000 aircraft", "/alerts/rules/{id}/test/", AlertRule, {"aircraft": live_aircraft(1)}, **TRIAL),
        on_row("24 hours of history", "/alerts/rules/{id}/test/", AlertRule, past_run({})(0), **TRIAL),
    ],
    "GET /api/v1/alerts/geofences/": [read("a page of 1,000", "/alerts/geofences/?limit=1000")],
    "POST /api/v1/alerts/geofences/": [
        prepared(
            send(
                "10,000 vertices",
                "/alerts/geofences/",
                lambda number: {"name": "New", "geometry": ring(MAX_VERTICES - 1, number)},
            ),
            lambda i: i.remove(Geofence, name="New"),
        ),
        send(
            "a megabyte of vertices",
            "/alerts/geofences/",
            lambda _: filled('{"name":"F","geometry":{"type":"Polygon","coordinates":[[', "[8,47]", "]]}}"),
            status=(400,),
        ),
    ],
    "GET /api/v1/alerts/geofences/{id}/": [on_row("one geofence", "/alerts/geofences/{id}/", Geofence)],
    "PATCH /api/v1/alerts/geofences/{id}/": [
        on_row("10,000 vertices", "/alerts/geofences/{id}/", Geofence, {"geometry": ring(MAX_VERTICES - 1)}),
    ],
    "DELETE /api/v1/alerts/geofences/{id}/": [
        on_row("one among 500 rules", "/alerts/geofences/{id}/", Geofence),
    ],
    "GET /api/v1/alerts/geofences/export/": [read("all that a user may have", "/alerts/geofences/export/")],
    "GET /api/v1/alerts/watchlists/": [read("a page of 1,000", "/alerts/watchlists/?limit=1000")],
    "POST /api/v1/alerts/watchlists/": [
        prepared(
            send(
                "100,000 entries", "/alerts/watchlists/", lambda number: {"name": "New", "entries": whole_list(number)}
            ),
            lambda i: i.remove(Watchlist, name="New"),
        ),
    ],
    "GET /api/v1/alerts/watchlists/{id}/": [
        on_row("one of 100,000 entries", "/alerts/watchlists/{id}/", "long list"),
    ],
    "PATCH /api/v1/alerts/watchlists/{id}/": [
        on_row("100,000 entries", "/alerts/watchlists/{id}/", "long list", {"entries": whole_list(1)}),
    ],
    "DELETE /api/v1/alerts/watchlists/{id}/": [
        on_row("one among 500 rules", "/alerts/watchlists/{id}/", Watchlist),
    ],
    "GET /api/v1/alerts/history/": [
        read("a page of 1,000, searched", f"/alerts/history/?limit=1000&{SEARCH}"),
        read("a late page of 1,000", f"/alerts/history/?limit=1000&offset=15000&{SEARCH}"),
        read("a search that finds nothing", "/alerts/history/?limit=1000&q=zeppelin"),
    ],
    "GET /api/v1/alerts/history/{id}/": [on_row("one alert", "/alerts/history/{id}/", Alert)],
    "POST /api/v1/alerts/history/{id}/acknowledge/": [
        on_row("one alert", "/alerts/history/{id}/acknowledge/", Alert),
    ],
    "POST /api/v1/alerts/history/acknowledge-all/": [
        prepared(
            send("all of the caller's", "/alerts/history/acknowledge-all/", {}),
            lambda i: i.set_all(Alert, acknowledged=False),
        ),
    ],
    "GET /api/v1/alerts/stats/": [read("a year", "/alerts/stats/?days=366")],
}
