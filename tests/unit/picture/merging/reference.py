"""A plain merge of what receivers say: one aircraft and one group of fields at a time, without columns.

The merge of the picture must equal it. Which positions are believed, and who is right where receivers of ours, or
strangers, contradict each other, are other rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

from msgspec import UNSET

from skywatch.picture.merging.presence import CONTESTED_VOICES, PRESENT_S
from skywatch.picture.state.fields import AGREED_S, AIRFRAME_FIELDS, GROUPS, LIFETIME_S, MLAT_TRUST, TISB_TRUST, Group
from skywatch.receivers.feeder_streams.voices import SEVERAL, Voice
from skywatch.receivers.reports.report import STALE_S, ReducedReport, Report, trust

LASTING = ("callsign", "category")
POSITION = GROUPS[0].fields
SPOKEN = (*LIFETIME_S, *AIRFRAME_FIELDS, "type")
OF_OURS = frozenset(SPOKEN)
OF_STRANGERS = OF_OURS - set(AIRFRAME_FIELDS)
Rank = tuple[bool, float, float]


class Said(NamedTuple):
    """A value of a field, when it was said (unix s), and how far its source is trusted."""

    value: Any
    at: float
    trust: int


class View(NamedTuple):
    """What one receiver says of an aircraft; ``is_agreed``: independent feeders say it, by their frames."""

    voice: Voice
    at: float
    messages: int
    said: dict[str, Said]
    is_agreed: bool
    is_agreement: bool

    def standing(self, group: Group) -> tuple[float, int] | None:
        """When a group was said last, and how far that source is trusted."""
        said = [(one.at, -one.trust) for name in group.fields if (one := self.said.get(name))]
        return (max(said)[0], -max(said)[1]) if said else None


def view_of(voice: Voice, reports: Sequence[Report], now: float) -> View:
    """What the reports of one receiver about an aircraft come to, in whatever order they arrived.

    A snapshot is all that it says. Else a value is replaced by one whose source is trusted as much, or once it is
    stale; it ends with its lifetime.
    """
    said: dict[str, Said] = {}
    messages = 0
    in_order = sorted(reports, key=lambda report: report.at)
    spoken = OF_OURS if voice.is_ours else OF_STRANGERS
    for report in in_order:
        if report.snapshot:
            said, messages = {}, 0
        messages += report.messages or 0
        level = trust(report.type)
        for name in SPOKEN:
            value = getattr(report, name)
            if value is UNSET or name not in spoken:
                continue
            of_field = level
            if report.mlat and name in report.mlat:
                of_field = max(level, MLAT_TRUST)
            if report.tisb and name in report.tisb:
                of_field = max(level, TISB_TRUST)
            at = report.position_at if name in POSITION else report.at
            before = said.get(name)
            if before is None or of_field <= before.trust or at - before.at > STALE_S:
                said[name] = Said(value, at, of_field)
    said = {name: one for name, one in said.items() if now - one.at < LIFETIME_S.get(name, float("inf"))}
    newest = in_order[-1]
    is_agreement = isinstance(newest, ReducedReport)
    is_agreed = isinstance(newest, ReducedReport) and newest.voices > 1 and not newest.is_divided
    return View(voice, newest.at, messages, said, is_agreed, is_agreement)


def rank(level: float, at: float, now: float) -> Rank:
    """What sorts first is taken: fresh before stale, of the fresh the more trusted, then the latest."""
    return (True, 0.0, -at) if now - at > STALE_S else (False, level, -at)


def is_contested(views: Sequence[View], now: float) -> bool:
    """Whether three voices hear an aircraft now, or independent feeders agree on it."""
    spoken: set[str] = set()
    voices = 0
    for view in views:
        if now - view.at <= PRESENT_S and not view.is_agreement:
            names = set(view.voice.names) if view.voice.is_alone else set()
            voices += names.isdisjoint(spoken)
            spoken |= names
    return voices >= CONTESTED_VOICES or any(view.is_agreed and now - view.at <= PRESENT_S for view in views)


def is_confirmed(views: Sequence[View], name: str) -> bool:
    """Whether two independent strangers say the same of a field."""
    said = [(view.voice, view.said[name].value) for view in views if name in view.said and view.voice.is_alone]
    return any(one.is_independent(other) and same == also for (one, same), (other, also) in combinations(said, 2))


def may_alarm(views: Sequence[View], name: str, value: Any) -> bool:
    """Whether an alarm is more than one stranger's word; of an advisory it is enough that there is one."""
    said = [view for view in views if name in view.said and (name == "acas_ra" or view.said[name].value == value)]
    is_joint = any(view.voice == SEVERAL for view in said)
    return is_joint or any(one.voice.is_independent(other.voice) for one, other in combinations(said, 2))


def winner(views: Sequence[View], group: Group, contested: bool, now: float) -> View | None:
    """Who is believed of a group, of ours alone or of strangers alone: two owners before one, then by rank."""
    speaking = [(view, standing) for view in views if (standing := view.standing(group)) is not None]
    if contested and group.is_alarm:
        is_settled = not is_confirmed(views, group.fields[0])
    else:
        is_settled = any(view.is_agreed and now - at <= group.agreed_s(contested) for view, (at, _) in speaking)
    ranked: list[tuple[Rank, View]] = []
    for view, (at, level) in speaking:
        if not (is_settled and view.voice.is_alone):
            agreed = 0.5 if view.is_agreed and now - at <= AGREED_S else 0.0
            ranked.append((rank(level - agreed, at, now), view))
    return min(ranked, key=lambda each: each[0])[1] if ranked else None


def merged(views: Sequence[View], now: float) -> tuple[dict[str, Any], float, int]:
    """The values of an aircraft, when it was heard last, and its messages; ``views`` in the order of receivers.

    Strangers fill in what ours do not say, or have not said lately: a callsign and a category as long as ours are
    shown, an alarm where two strangers say it.
    """
    values: dict[str, Any] = {}
    ours, strangers = ([view for view in views if view.voice.is_ours is whose] for whose in (True, False))
    own_at, at = (max((view.at for view in side), default=0.0) for side in (ours, strangers))
    at = own_at if ours and now - own_at <= STALE_S else max(own_at, at)
    contested = [is_contested(side, now) for side in (ours, strangers)]
    spoken = {name for view in views for name in view.said}
    for group in GROUPS:
        if spoken.isdisjoint(group.fields):
            continue
        taken, theirs = (winner(*each, now) for each in ((ours, group, contested[0]), (strangers, group, contested[1])))
        if theirs is not None and ours:
            own, other = taken and taken.standing(group), theirs.standing(group)
            is_open = own is None or (group.name not in LASTING and other > own and now - own[0] > STALE_S)
            name = group.fields[0]
            is_alarm = group.is_alarm and now - own_at <= STALE_S
            if is_open and (not is_alarm or may_alarm(strangers, name, theirs.said[name].value)):
                taken, at = theirs, max(at, other[0])
        elif theirs is not None:
            taken = theirs
        if taken is not None:
            values |= {name: taken.said[name].value for name in group.fields if name in taken.said}
    for view in sorted(ours, key=lambda view: rank(view.said["type"].trust, view.at, now)):
        values = {name: one.value for name, one in view.said.items() if name in AIRFRAME_FIELDS} | values
    return values, at, sum(view.messages for view in views)
