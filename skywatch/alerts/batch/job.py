"""The job ``rules``: what the enabled rules would have announced on a day.

The pictures are those of a dry run over a day. They begin an hour before it, so that what matched at midnight is
not announced again and short cooldowns hold; what was announced in that hour belongs to the day before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from skywatch.alerts.batch.rules import StoredRule, StoredRules, prepare
from skywatch.alerts.engine.engine import Engine
from skywatch.alerts.engine.rule import NOBODY, Cleared, Fired
from skywatch.alerts.rules.trials.trial import UNLIMITED, skies_of, step_of
from skywatch.core.batch import BatchJob, PastDay

WARM_UP_S = 3_600.0
# What is announced on the day and has not cleared is followed for so long into the next one.
BEYOND_S = 3_600.0


def run(day: PastDay, options: bytes) -> Iterator[tuple[Any, ...]]:
    """A row for each alert that was triggered on the day, in the order of the alerts."""
    stored = msgspec.msgpack.decode(options, type=StoredRules)
    rule_set = stored.rule_set()
    engine = Engine(UNLIMITED)
    engine.install(rule_set, 0.0)
    alerts: list[list[Any]] = []
    open_alerts: dict[tuple[Any, str], list[Any]] = {}
    moments = day.moments(day.begin - WARM_UP_S, day.end + BEYOND_S, step_of(day.end - day.begin))
    for sky in skies_of(moments, stored.station):
        if not rule_set.rules or (sky.now >= day.end and not open_alerts):
            break
        # Rules of those who may know the exact place are about distances from it.
        for change in engine.tick(replace(sky, exact_station=stored.exact_station)):
            if isinstance(change, Fired) and day.begin <= change.at < day.end:
                alert = _row(stored.rules[change.rule_id], change)
                alerts.append(alert)
                open_alerts[change.rule_id, change.address] = alert
            elif isinstance(change, Cleared):
                cleared = open_alerts.pop((change.rule_id, change.address), None)
                if cleared is not None:
                    cleared[_CLEARED] = change.at
    alerts.sort(key=lambda alert: (alert[_TRIGGERED], alert[_RULE], alert[_ADDRESS] or ""))
    yield from map(tuple, alerts)


def _row(rule: StoredRule, change: Fired) -> list[Any]:
    aircraft = change.aircraft
    altitude = aircraft.get("alt_baro")
    return [
        rule.id,
        rule.user_id,
        rule.priority,
        change.address.upper() if change.address != NOBODY else None,
        aircraft.get("flight"),
        aircraft.get("r"),
        change.military,
        aircraft.get("lat"),
        aircraft.get("lon"),
        altitude if isinstance(altitude, int) else None,
        change.count,
        change.at,
        None,
    ]


_COLUMNS = {
    "rule_id": "int",
    "user_id": "int",
    "priority": "text",
    "icao_hex": "text",
    "callsign": "text",
    "registration": "text",
    "military": "bool",
    "lat": "float",
    "lon": "float",
    "altitude_ft": "int",
    "count": "int",
    "triggered_at": "moment",
    "cleared_at": "moment",
}
_RULE, _ADDRESS, _TRIGGERED, _CLEARED = map(list(_COLUMNS).index, ("rule_id", "icao_hex", "triggered_at", "cleared_at"))

JOBS = (
    BatchJob(
        name="rules",
        columns=_COLUMNS,
        run=run,
        prepare=prepare,
        before=True,
        after=True,
    ),
)
