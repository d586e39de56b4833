"""``ReceiverView``: the state of one aircraft at one receiver, accumulated from single messages.

For a receiver of snapshots the last report is the view.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import UNSET

from skywatch.picture.state.fields import AIRFRAME_FIELDS, LIFETIME_S
from skywatch.receivers.reports.report import (
    EMERGENCY_OF_SQUAWK,
    STALE_S,
    UNKNOWN_EMERGENCY,
    ReducedReport,
    Report,
    trust,
)

# Fields copied from messages; times, counts and the source have rules of their own.
FIELDS: tuple[str, ...] = (*LIFETIME_S, *AIRFRAME_FIELDS)
# Messages of different ways to us may be so late (s).
LATE_S = 1.0


class FieldState(msgspec.Struct, array_like=True, gc=False):
    """When a field was last received (unix s), and the trust in its source.

    ``frames`` counts the messages that carried it, where that matters (resolution advisories).
    """

    at: float
    trust: int
    frames: int = 0


class ReceiverView(Report, gc=False):
    """A report accumulated from increments; ``heard`` has an entry for each field that ages.

    ``voices`` independent feeders agreed on what came last, before they were divided if it ``is_divided``.
    """

    heard: dict[str, FieldState] = msgspec.field(default_factory=dict)
    type_at: float = 0.0
    expires_at: float = float("inf")  # no field expires before
    voices: int = 1
    is_divided: bool = False

    @property
    def is_agreed(self) -> bool:
        """Whether several feeders agree on it, and no others on something else."""
        return self.voices > 1 and not self.is_divided


def view_of(address: str) -> ReceiverView:
    """An empty view."""
    return ReceiverView(address, messages=0, heard={})


def is_new(view: Report, name: str, now: float) -> bool:
    """Whether a field was heard within STALE_S."""
    if getattr(view, name) is UNSET:
        return False
    state = view.heard.get(name) if isinstance(view, ReceiverView) else None
    return now - (state.at if state is not None else view.at) <= STALE_S


def absorb(view: ReceiverView, report: Report) -> None:
    """Update a view with one message, field by field, unless the view has a fresher or more trusted value."""
    at = report.at
    level = trust(report.type)
    states = view.heard
    for name in FIELDS:
        value = getattr(report, name)
        if value is UNSET:
            continue
        before = states.get(name)
        if before is not None:
            if at < before.at:
                # Of a second, the order in which messages arrive does not matter.
                if level >= before.trust or before.at - at > LATE_S:
                    continue
            elif level > before.trust and at - before.at <= STALE_S:
                continue
            before.at = at
            before.trust = level
        elif name in LIFETIME_S:
            states[name] = FieldState(at, level)
            view.expires_at = min(view.expires_at, at + LIFETIME_S[name])
        setattr(view, name, value)
    if view.emergency == UNKNOWN_EMERGENCY:
        view.emergency = EMERGENCY_OF_SQUAWK.get(str(view.squawk), UNKNOWN_EMERGENCY)
    if report.acas_ra is not UNSET and "acas_ra" in states:
        states["acas_ra"].frames += report.acas_ra_frames if isinstance(report, ReducedReport) else 1
    if report.lat is not UNSET:
        position = states.get("lat")
        if position is not None and position.at == at:
            view.position_at = report.position_at or at
    if level <= trust(view.type) or view.type is UNSET or at - view.type_at > STALE_S:
        view.type, view.type_at = report.type, at
    if isinstance(report, ReducedReport) and at >= view.at:
        view.voices, view.is_divided = report.voices, report.is_divided
    view.at = max(view.at, at)
    if report.rssi is not UNSET:
        view.rssi = report.rssi
    view.messages = (view.messages or 0) + (1 if report.messages is UNSET else report.messages)


def clear_airframes(reports: Iterable[Report]) -> None:
    """Clear what reports of strangers say of airframes: what an aircraft is comes from lists and from ours."""
    for report in reports:
        # Nor does an aircraft transmit it: it is in no frame.
        if type(report) is not ReducedReport:
            # ``AIRFRAME_FIELDS``; a loop over them takes twice as long, of every report of a stranger.
            report.r = report.t = report.desc = report.ownOp = report.year = report.dbFlags = UNSET


def expire(view: ReceiverView, now: float) -> None:
    """Clear the fields whose lifetime has passed."""
    if now < view.expires_at:
        return
    view.expires_at = float("inf")
    for name, state in list(view.heard.items()):
        expires_at = state.at + LIFETIME_S[name]
        if expires_at <= now:
            setattr(view, name, UNSET)
            del view.heard[name]
        elif expires_at < view.expires_at:
            view.expires_at = expires_at
