"""The dry run: the alerts of a rule for the live picture, for given aircraft, or over stored history."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy.orm import Session, undefer

from skywatch.alerts.conditions.fields import Kind
from skywatch.alerts.conditions.tree import Conditions, references, tests_of
from skywatch.alerts.engine.engine import Engine, RuleSet
from skywatch.alerts.engine.event_reader import readers_of
from skywatch.alerts.engine.messages import AircraftMessage
from skywatch.alerts.engine.operands.documents import SkyMaker
from skywatch.alerts.engine.operands.fences import Fence
from skywatch.alerts.engine.program import Rights
from skywatch.alerts.engine.rule import NOBODY, Cleared, Count, Fired, Rule
from skywatch.alerts.history.message_text import message_of
from skywatch.alerts.models import Geofence, Watchlist
from skywatch.alerts.rules.schemas import RuleFields
from skywatch.alerts.watchlists.entries import Entries
from skywatch.alerts.watchlists.service import entries_of
from skywatch.core.polygons.band import Band
from skywatch.core.polygons.geometry import parse_geometry
from skywatch.core.process.deadline import Checkpoint, DeadlineExceeded, paced
from skywatch.notify.vocabulary import Priority
from skywatch.picture.state.sky import Sky
from skywatch.security.visibility import Visibility
from skywatch.sentences import worded

# Largest number of alerts returned; all are counted.
ALERTS_SHOWN = 500
# (longest span, time between moments of history) (s).
STEPS_S = ((3_600.0, 2.0), (21_600.0, 5.0), (float("inf"), 10.0))
UNLIMITED = 1_000_000

_decode = msgspec.json.Decoder(dict[str, Any]).decode


@dataclass
class Trial:
    """The dry run of one rule over consecutive skies, and its alerts."""

    fields: RuleFields
    rights: Rights
    fences: Mapping[int, Fence]
    lists: Mapping[int, Entries]
    at_once: bool = False
    checkpoint: Checkpoint | None = None
    alerts: list[dict[str, Any]] = field(default_factory=list)
    count: int = 0
    hours: float = 0.0
    truncated: bool = False
    _engine: Engine = field(init=False)
    _open: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        fields, count = self.fields, self.fields.count
        rule = Rule(
            0,
            1,
            fields.conditions.tree,
            0.0 if self.at_once else fields.for_s or 0.0,
            float(fields.cooldown_s),
            Count(count["op"], count["value"]) if count else None,
            self.rights,
        )
        self._engine = Engine(UNLIMITED, self.checkpoint, ALERTS_SHOWN)
        self._engine.install(RuleSet((rule,), self.fences, self.lists), 0.0)

    def take(self, sky: Sky, messages: Iterable[AircraftMessage] = ()) -> None:
        """Test one sky, which counts as complete (a dry run is about what is shown), and messages."""
        for change in self._engine.tick(replace(sky, is_complete=True), messages):
            if isinstance(change, Fired):
                self._fired(change)
            elif isinstance(change, Cleared) and change.address in self._open:
                self._open.pop(change.address)["cleared_at"] = _moment(change.at)

    def answer(self) -> dict[str, Any]:
        """The dry run as the API answers it."""
        return {
            "alerts": self.alerts,
            "count": self.count,
            "per_hour": round(self.count / self.hours, 2) if self.hours else None,
            "truncated": self.truncated or self.count > len(self.alerts),
        }

    def _fired(self, change: Fired) -> None:
        self.count += 1
        if len(self.alerts) >= ALERTS_SHOWN:
            return
        aircraft, fields = change.aircraft, self.fields
        priority = Priority.INFO.value if change.in_doubt else fields.priority
        alert = {
            "rule_name": fields.name,
            "priority": priority,
            "icao_hex": change.address.upper() if change.address != NOBODY else None,
            "callsign": aircraft.get("flight"),
            "registration": aircraft.get("r"),
            **worded("message", message_of(change, name=fields.name, priority=priority, template=fields.message)),
            "aircraft": dict(aircraft),
            "matched": list(change.matched),
            "geofence": change.geofence,
            "count": change.count,
            "triggered_at": _moment(change.at),
            "cleared_at": None,
        }
        self._open[change.address] = alert
        self.alerts.append(alert)


def referenced_objects(
    session: Session, conditions: Conditions, user_id: int, checkpoint: Checkpoint | None = None
) -> tuple[dict[int, Fence], dict[int, Entries]]:
    """The geofences and watch lists of a user that conditions refer to; missing ones are omitted."""
    node = conditions.tree
    fences, lists = {}, {}
    for number in paced(references(node, Kind.GEOFENCE), checkpoint):
        row = session.get(Geofence, number)
        if row is not None and row.user_id == user_id:
            fences[number] = Fence(row.id, row.name, parse_geometry(row.geometry), Band(row.floor_ft, row.ceiling_ft))
    for number in references(node, Kind.WATCHLIST):
        if checkpoint is not None:
            checkpoint()
        watchlist = session.get(Watchlist, number, options=[undefer(Watchlist.entries)])
        if watchlist is not None and watchlist.user_id == user_id:
            lists[number] = Entries(tuple(entries_of(watchlist)))
    return fences, lists


def step_of(seconds: float) -> float:
    """The time between two moments of history in a span of this length (s)."""
    return next(step for longest, step in STEPS_S if seconds <= longest)


def past_messages(
    session: Session, conditions: Conditions, begin: float, end: float, visibility: Visibility
) -> list[AircraftMessage]:
    """The stored events of a span (unix seconds) on which conditions are tested, in their order."""
    readers = readers_of(dict.fromkeys(test.field for test in tests_of(conditions.tree)))
    messages = [
        message
        for events, reader in readers.items()
        if events.past is not None
        for data in events.past(session, begin, end, visibility)
        if (message := reader.read(data)) is not None
    ]
    return sorted(messages, key=lambda message: message.at)


def run_past(
    trial: Trial,
    moments: Iterable[bytes],
    station: tuple[float, float] | None,
    messages: Iterable[AircraftMessage] = (),
) -> None:
    """Run over moments of history ``{now, aircraft}`` and the messages between them, each with the moment after it.

    The end of the time limit sets ``truncated``.
    """
    waiting = deque(messages)
    try:
        for sky in skies_of(moments, station, trial.checkpoint):
            trial.take(sky, _until(waiting, sky.now))
        if waiting:
            # Nothing was recorded any more.
            trial.take(SkyMaker(station, trial.checkpoint).sky([], waiting[-1].at), waiting)
    except DeadlineExceeded:
        trial.truncated = True


def _until(waiting: deque[AircraftMessage], now: float) -> Iterator[AircraftMessage]:
    while waiting and waiting[0].at <= now:
        yield waiting.popleft()


def skies_of(
    moments: Iterable[bytes], station: tuple[float, float] | None, checkpoint: Checkpoint | None = None
) -> Iterator[Sky]:
    """Encoded moments as skies."""
    maker = SkyMaker(station, checkpoint)
    for encoded in moments:
        if checkpoint is not None:
            checkpoint()
        moment = _decode(encoded)
        yield maker.sky(moment["aircraft"], float(moment["now"]))


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
