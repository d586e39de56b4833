"""Each kind of data goes by the settings that the manual names for it, in their units; what has not ended stays."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.storage.retention import Kind, Pruner
from skywatch.core.telemetry import health
from skywatch.features import FEATURES
from skywatch.system.monitor import RETENTION, retain

HOUR = timedelta(hours=1)
DAY = 24 * HOUR


@dataclass(frozen=True)
class Expected:
    """Settings under which rows are kept for ``keep``, the setting of the room, and what is no end and what is one."""

    age: dict[str, float]
    room: str = ""
    keep: timedelta = 3 * DAY
    going_on: dict[str, Any] = field(default_factory=dict)
    ended: dict[str, Any] = field(default_factory=dict)


CANNONBALL = {"age": {"retention_cannonball_days": 3}, "room": "retention_cannonball_mb"}
SAFETY = {"age": {"retention_safety_days": 3}, "room": "retention_safety_mb"}
KINDS = {
    "acars_messages": Expected({"retention_acars_days": 3}, "retention_acars_mb"),
    "airport_approaches": Expected({"retention_movements_days": 3}),
    "airport_corrections": Expected({"retention_movements_days": 3}),
    "alerts": Expected({"retention_alerts_days": 3}, "retention_alerts_mb"),
    "alert_matches": Expected({}, keep=2 * DAY, going_on={"matching": True}, ended={"matching": False}),
    "audio": Expected({"retention_audio_days": 3}, "retention_audio_mb", ended={"bytes": 100}),
    "audit": Expected({"retention_audit_days": 3}, "retention_audit_mb"),
    "cannonball_alerts": Expected(**CANNONBALL),
    "cannonball_patterns": Expected(**CANNONBALL, going_on={"ended_at": None}),
    "cannonball_sessions": Expected(**CANNONBALL, going_on={"is_active": True}, ended={"is_active": False}),
    "deliveries": Expected(
        {"retention_deliveries_days": 3},
        "retention_deliveries_mb",
        going_on={"state": "pending"},
        ended={"state": "delivered"},
    ),
    "events": Expected({"retention_events_hours": 36}, keep=36 * HOUR),
    # Never before the tracks that refer to them.
    "flights": Expected(
        {"retention_flights_days": 2, "retention_positions_days": 3},
        "retention_flights_mb",
        going_on={"active": True},
        ended={"active": False},
    ),
    "health": Expected({"retention_health_days": 3}, "retention_health_mb"),
    # As long as there are tracks of their time.
    "low_tracks": Expected({}, keep=DAY),
    "report_editions": Expected({"retention_editions_days": 3}),
    "logins": Expected({"retention_logins_days": 3}),
    "movements": Expected({"retention_movements_days": 3}),
    "positions": Expected({"retention_positions_days": 3}, "retention_positions_mb"),
    "quality": Expected({"retention_quality_days": 3}),
    "quality_connections": Expected({"retention_quality_days": 3}),
    "safety_events": Expected(**SAFETY, going_on={"ended_at": None}, ended={"ended_at": utcnow()}),
    "safety_regions": Expected(**SAFETY),
}
DECLARED = {kind.name: kind for kind in FEATURES.retention_kinds()}
WITH_ROOM = sorted(name for name, expected in KINDS.items() if expected.room)


def stored(kind: Kind, number: int, age: timedelta, values: dict[str, Any]) -> dict[str, Any]:
    """A row of the kind that is so old; of what the values do not say, the least that the table takes."""
    at = utcnow() - age
    row: dict[str, Any] = {}
    for column in kind.table.columns:
        if column.nullable or column.default is not None:
            continue
        of = column.type.impl if isinstance(column.type, sa.TypeDecorator) else column.type
        if isinstance(of, sa.DateTime):
            row[column.name] = at
        elif isinstance(of, sa.JSON):
            row[column.name] = []
        else:
            row[column.name] = b"" if of.python_type is bytes else of.python_type(number)
    return {**row, kind.column: int(at.timestamp()) if kind.unix else at, **values}


class ArchiveStorage:
    """A service with rows of one kind."""

    def __init__(self, make_runtime, name: str, **settings: float) -> None:
        self.kind = DECLARED[name]
        self.runtime = make_runtime(**settings)

    def add(self, *rows: dict[str, Any]) -> None:
        """Rows whose owners, rules and sessions nobody needs here."""
        bare = sa.create_engine(self.runtime.engine.url)
        with bare.begin() as connection:
            connection.execute(sa.insert(self.kind.table), list(rows))
        bare.dispose()

    def retain(self) -> None:
        settings, kinds = self.runtime.current, FEATURES.retention_kinds()
        pruner = Pruner(self.runtime.engine, self.runtime.sessions, settings, kinds, lambda seconds: False)
        assert retain(pruner) == "done", pruner.faults

    def numbers(self) -> list[str]:
        key = next(iter(self.kind.table.primary_key.columns))
        with self.runtime.sessions() as session:
            return sorted(str(number) for number in session.scalars(sa.select(key)))


def removed(name: str) -> float:
    """What health says."""
    said = next(component for component in health.components() if component.name == RETENTION)
    health.withdraw(RETENTION)
    return said.figures[f"removed_{name}"]


def test_every_kind_is_here():
    assert sorted(KINDS) == sorted(DECLARED)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_what_is_older_than_its_setting_goes_and_health_counts_it(make_runtime, name):
    expected = KINDS[name]
    place = ArchiveStorage(make_runtime, name, **expected.age)
    place.add(
        stored(place.kind, 1, expected.keep + HOUR, expected.ended),
        stored(place.kind, 2, expected.keep - HOUR, expected.ended),
    )
    if expected.going_on:
        place.add(stored(place.kind, 3, 400 * DAY, expected.going_on))
    place.retain()
    assert place.numbers() == (["2", "3"] if expected.going_on else ["2"])
    assert removed(name) == 1


@pytest.mark.parametrize("name", WITH_ROOM)
def test_of_what_is_more_than_its_setting_in_megabytes_the_newest_stay(make_runtime, name):
    expected = KINDS[name]
    place = ArchiveStorage(make_runtime, name, **{expected.room: 0.002})
    place.add(*(stored(place.kind, number, (100 - number) * HOUR / 10, expected.ended) for number in range(10, 70)))
    place.retain()
    left = place.numbers()
    # A row takes from 80 bytes to 400.
    assert 5 <= len(left) <= 25
    assert left == [str(number) for number in range(70 - len(left), 70)]
    assert removed(name) == 60 - len(left)
