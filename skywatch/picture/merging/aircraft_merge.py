"""Merges the reports of several receivers about one aircraft: pure functions."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from msgspec import UNSET

from skywatch.picture.state.fields import AGREED_S, AIRFRAME_FIELDS, GROUPS, LIFETIME_S, MLAT_TRUST, TISB_TRUST, Group
from skywatch.picture.state.receiver_view import FieldState, ReceiverView
from skywatch.receivers.feeder_streams.voices import OURS, Voice
from skywatch.receivers.reports.report import Report, precedence, trust

_POSITION = GROUPS[0].fields


def merge(
    views: Sequence[Report], now: float, voices: Sequence[Voice] = (), is_contested: bool = False
) -> ReceiverView:
    """One report of all views of an aircraft (at least one).

    Each group of fields comes from the view whose source is trusted most among those heard within STALE_S, the
    freshest of equals; where all are stale, from the freshest. Equal standing is decided by the order of ``views``.
    ``voices`` say whose the views are (ours unless given): all ours, or all strangers', of whom one alone replaces
    nothing on which independent ones agree. ``is_contested`` as for ``Group.agreed_s``.
    """
    ranked = sorted(views, key=lambda view: precedence(_level(view, trust(view.type), view.at, now), view.at, now))
    base = ranked[0]
    merged = _copy(base)
    mlat: list[str] = []
    tisb: list[str] = []
    voices = voices or (OURS,) * len(views)
    has_alone = any(voice.is_alone for voice in voices)
    for group in GROUPS:
        is_settled = has_alone and _is_settled(views, group, voices, is_contested, now)
        best: tuple[bool, float, float] | None = None
        winner = base
        for view, voice in zip(views, voices, strict=True):
            standing = group_standing(view, group) if not (is_settled and voice.is_alone) else None
            if standing is None or standing[1] <= now - group.lifetime_s:
                continue
            rank = precedence(_level(view, *standing, now), standing[1], now)
            if best is None or rank < best:
                best, winner = rank, view
        for name in group.fields:
            value = getattr(winner, name) if best is not None else UNSET
            setattr(merged, name, value)
            if value is not UNSET and best is not None:
                merged.heard[name] = FieldState(_field_at(winner, name), _field_trust(winner, name))
                if winner.mlat and name in winner.mlat:
                    mlat.append(name)
                if winner.tisb and name in winner.tisb:
                    tisb.append(name)
    for name in AIRFRAME_FIELDS:
        if getattr(merged, name) is UNSET:
            setattr(merged, name, next((v for view in ranked if (v := getattr(view, name)) is not UNSET), UNSET))
    if any(view.mlat is not UNSET for view in views):
        merged.mlat = mlat
    if any(view.tisb is not UNSET for view in views):
        merged.tisb = tisb
    merged.at = max(view.at for view in views)
    merged.position_at = max(view.position_at for view in views)
    merged.messages = sum(view.messages or 0 for view in views)
    return merged


def _is_settled(views: Sequence[Report], group: Group, voices: Sequence[Voice], is_contested: bool, now: float) -> bool:
    """Whether independent feeders agree on a group, or must before it is shown."""
    if is_contested and group.is_alarm:
        return not _is_confirmed(views, group, voices)
    agreed_s = group.agreed_s(is_contested)
    for view in views:
        if isinstance(view, ReceiverView) and view.is_agreed:
            standing = group_standing(view, group)
            if standing is not None and now - standing[1] <= agreed_s:
                return True
    return False


def _is_confirmed(views: Sequence[Report], group: Group, voices: Sequence[Voice]) -> bool:
    """Whether two feeders say the same, such as decode themselves, so that they agree by no frames."""
    name = group.fields[0]
    said = [
        (voice, getattr(view, name))
        for view, voice in zip(views, voices, strict=True)
        if voice.is_alone and getattr(view, name) is not UNSET
    ]
    return any(one.is_independent(other) and value == same for one, value in said for other, same in said)


def _level(view: Report, level: int, at: float, now: float) -> float:
    """The trust in what a view says: a little more where several independent feeders say it."""
    is_agreed = isinstance(view, ReceiverView) and view.is_agreed and now - at <= AGREED_S
    return level - 0.5 if is_agreed else level


def group_standing(view: Report, group: Group) -> tuple[int, float] | None:
    """Trust and time of what a view has said last of a group; None where it says nothing of it."""
    if not isinstance(view, ReceiverView):
        name = next((name for name in group.fields if getattr(view, name) is not UNSET), None)
        if name is None:
            return None
        return _field_trust(view, name), view.position_at if group.name == "position" else view.at
    latest: tuple[int, float] | None = None
    for name in group.fields:
        if getattr(view, name) is not UNSET:
            trust_at = _field_trust(view, name), _field_at(view, name)
            if latest is None or (-trust_at[1], trust_at[0]) < (-latest[1], latest[0]):
                latest = trust_at
    return latest


def _field_at(view: Report, name: str) -> float:
    if isinstance(view, ReceiverView) and name in view.heard:
        return view.heard[name].at
    return view.position_at if name in _POSITION else view.at


def _field_trust(view: Report, name: str) -> int:
    if isinstance(view, ReceiverView) and name in view.heard:
        return view.heard[name].trust
    level = trust(view.type)
    if view.mlat and name in view.mlat:
        return max(level, MLAT_TRUST)
    if view.tisb and name in view.tisb:
        return max(level, TISB_TRUST)
    return level


def without_expired(view: Report, now: float) -> Report:
    """A snapshot without the fields whose lifetime has passed; the snapshot itself where none has."""
    age_s, position_age_s = now - view.at, now - view.position_at
    expired = [
        name
        for name, lifetime_s in LIFETIME_S.items()
        if lifetime_s < (position_age_s if name in _POSITION else age_s) and name not in ("lat", "lon")
    ]
    if not expired:
        return view
    pruned = copy.copy(view)
    for name in expired:
        setattr(pruned, name, UNSET)
    return pruned


def _copy(view: Report) -> ReceiverView:
    """A view of its own with all values of another and nothing noted as heard."""
    merged = ReceiverView(view.hex, heard={})
    for name in Report.__struct_fields__:
        setattr(merged, name, getattr(view, name))
    return merged
