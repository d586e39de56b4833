"""``EventTracker``: the life of occurrences: active while findings arrive, ended after a while without one.

Holding times before an occurrence is raised belong to the detectors; from its first finding on it is one event, updated
while it lasts, until the time to end of its type has passed. A suppressed event (``suppressed_by``) is stored and
raised when the reasons end.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import msgspec

from skywatch.safety.detection.finding import Closest, Finding, worse
from skywatch.safety.thresholds.thresholds import Thresholds
from skywatch.sentences import sentence

Step = Literal["began", "updated", "ended"]
# An active event whose numbers change is stored and published this often at most (s), and all together this often a
# second, however many there are.
UPDATE_EVERY_S, UPDATES_PER_S = 5.0, 50.0
# Longer than any detector holds a condition before it finds it (s).
RESTORED_S = 90.0


@dataclass
class LiveEvent:
    """One occurrence. Times are unix seconds; ``finding`` is its latest, with the gravest severity so far."""

    finding: Finding
    began_at: float
    last_at: float
    told_at: float
    ended_at: float | None = None
    id: int | None = None
    # Whether it was ever raised, not only suppressed.
    raised: bool = False
    # An event of before a restart is not ended before this, nor before the picture is complete: its detector has to
    # hold it again first.
    keep_until: float = 0.0
    closest: Closest | None = None

    @property
    def identity(self) -> tuple[str, str]:
        """Its identity among active events."""
        return self.finding.type, self.finding.key


@dataclass(frozen=True)
class Change:
    """A step in the life of an event: ``event`` is a copy of how it was then, for the thread that writes.

    ``live`` is the event itself, of which that thread may use the identifier only. ``first_raised``: it was suppressed
    until now.
    """

    step: Step
    event: LiveEvent
    live: LiveEvent
    first_raised: bool = False


def change_of(step: Step, live: LiveEvent, first_raised: bool = False) -> Change:
    """A step with a copy of the event as it is now."""
    return Change(step, dataclasses.replace(live), live, first_raised)


class EventTracker:
    """All events that are active."""

    def __init__(self) -> None:
        self._active: dict[tuple[str, str], LiveEvent] = {}

    @property
    def active(self) -> list[LiveEvent]:
        """The events that have not ended, suppressed ones too."""
        return list(self._active.values())

    def restore(self, events: Iterable[LiveEvent], now: float) -> None:
        """Restore events that were active before a restart; one that has begun again meanwhile is the same."""
        for event in events:
            begun = self._active.get(event.identity)
            if begun is None:
                event.keep_until = now + RESTORED_S
                self._active[event.identity] = event
            else:
                begun.began_at, begun.id = event.began_at, event.id
                begun.raised = begun.raised or event.raised

    def hold(self, now: float) -> None:
        """Treat the active events as those of before a restart: the picture has started over."""
        for event in self._active.values():
            event.keep_until = now + RESTORED_S

    def update(
        self, findings: Iterable[Finding], now: float, thresholds: Thresholds, is_complete: bool = True
    ) -> list[Change]:
        """The steps that the findings of a tick make; ``is_complete`` as for ``Sky``."""
        changes: list[Change] = []
        update_every_s = max(UPDATE_EVERY_S, len(self._active) / UPDATES_PER_S)
        for finding in findings:
            change = self._take(finding, now, update_every_s)
            if change is not None:
                changes.append(change)
        for event in list(self._active.values()):
            is_held = event.keep_until and (now <= event.keep_until or not is_complete)
            if now - event.last_at > linger_s(event, thresholds) and not is_held:
                changes.append(self._end(event, now))
        return changes

    def _take(self, finding: Finding, now: float, update_every_s: float) -> Change | None:
        event = self._active.get((finding.type, finding.key))
        if finding.over:
            return self._end(event, now) if event is not None else None
        if event is None:
            event = LiveEvent(finding, now, now, now, raised=not finding.suppressed_by, closest=finding.closest)
            self._active[event.identity] = event
            return change_of("began", event, first_raised=event.raised)
        before = event.finding
        if finding.in_doubt and not before.in_doubt:
            # What nobody confirms neither prolongs nor changes what is sure.
            return None
        event.last_at = now
        event.closest = _nearer(event.closest, finding.closest, now)
        severity = finding.severity
        if not finding.suppressed_by and not before.suppressed_by:
            severity = worse(before.severity, severity)
        # A raised event stays raised, even if a reason to hold it back applies later.
        held_back = () if event.raised else finding.suppressed_by
        if event.raised and finding.suppressed_by:
            severity = before.severity
        event.finding = msgspec.structs.replace(
            finding, severity=severity, suppressed_by=held_back,
            military=before.military or finding.military, simulated=before.simulated or finding.simulated,
        )  # fmt: skip
        first = not event.raised and not finding.suppressed_by
        event.raised = event.raised or first
        is_confirmed = before.in_doubt and not finding.in_doubt
        telling = first or is_confirmed or severity != before.severity or len(finding.hexes) > len(before.hexes)
        if not telling and now - event.told_at < update_every_s:
            return None
        event.told_at = now
        return change_of("updated", event, first_raised=first)

    def _end(self, event: LiveEvent, now: float) -> Change:
        del self._active[event.identity]
        event.ended_at = now
        event.finding = in_past_tense(event.finding, event.closest, now)
        return change_of("ended", event)


def _nearer(previous: Closest | None, other: Closest | None, now: float) -> Closest | None:
    """The closest point: what was foreseen is replaced by the next forecast, what was reached stays."""
    if previous is None or other is None:
        return other or previous
    if previous.at <= now and previous.distance_nm <= other.distance_nm:
        return previous
    return other


def linger_s(event: LiveEvent, thresholds: Thresholds) -> float:
    """How long after its last finding an event ends (s)."""
    kind = event.finding.type
    if kind == "emergency_squawk":
        return thresholds.emergency_end_s
    if kind == "acas_ra":
        return thresholds.advisory_end_s
    if kind == "proximity":
        return thresholds.proximity_end_s
    if kind == "position_integrity":
        return 5.0  # Their detectors keep them active themselves.
    return thresholds.vertical_end_s


PAIR = 2


def in_past_tense(finding: Finding, closest: Closest | None, ended_at: float) -> Finding:
    """The finding with the sentence of its end; only that of an encounter of two aircraft differs.

    What was foreseen while it lasted is said as what came of it. A closest point after ``ended_at`` (unix seconds) was
    forecast and not reached: the two turned away or were lost.
    """
    if finding.type != "proximity" or closest is None or len(finding.hexes) != PAIR:
        return finding
    callsigns = finding.callsigns or ("", "")
    first, second = (sign or address.upper() for sign, address in zip(callsigns, finding.hexes, strict=True))
    pair = {"first": first, "second": second, "distance": closest.distance_nm, "vertical": closest.vertical_ft}
    message = (
        sentence(
            "safety.came_within",
            "{first} and {second} came within {distance:.2f} nm and {vertical} ft of each other",
            **pair,
        )
        if closest.at <= ended_at
        else sentence(
            "safety.were_forecast",
            "{first} and {second} were forecast to come within {distance:.2f} nm and {vertical} ft of each other",
            **pair,
        )
    )
    return msgspec.structs.replace(finding, message=message)
