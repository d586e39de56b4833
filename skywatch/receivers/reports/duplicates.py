"""Merges what one document says of an address twice, as the picture merges two receivers: by source and by age."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence

from msgspec import UNSET

from skywatch.receivers.reports.report import Report, precedence, trust

# Fields that are said together: what one report says is not completed by the other.
_POSITION, _VELOCITY = ("lat", "lon", "nic", "rc", "position_at", "seen_pos"), ("gs", "track")
_OF_REPORT = ("hex", "at", "snapshot", "type", "messages", "seen", "mlat", "tisb", *_POSITION, *_VELOCITY)
_OTHERS = tuple(name for name in Report.__struct_fields__ if name not in _OF_REPORT)


def without_duplicates(reports: list[Report]) -> list[Report]:
    """The reports of a document, one for each address, at the place of its first."""
    counts = Counter([report.hex for report in reports])
    if len(counts) == len(reports):
        return reports
    by_address: dict[str, list[Report]] = {}
    for report in reports:
        by_address.setdefault(report.hex, []).append(report)
    return [merged(of_address) if len(of_address) > 1 else of_address[0] for of_address in by_address.values()]


def merged(reports: Sequence[Report]) -> Report:
    """One report of several of the same aircraft: each group of fields from the most trusted of the fresh ones."""
    newest = max(report.at for report in reports)
    ranked = sorted(reports, key=lambda report: precedence(trust(report.type), report.at, newest))
    whole = copy.copy(ranked[0])
    for group in (_POSITION, _VELOCITY):
        _take(whole, ranked, group, newest)
    for name in _OTHERS:
        _take(whole, ranked, (name,), newest)
    whole.at = newest
    whole.seen = min((report.seen for report in reports if report.seen is not UNSET), default=UNSET)
    whole.messages = max((report.messages for report in reports if report.messages is not UNSET), default=UNSET)
    return whole


def _take(whole: Report, ranked: Sequence[Report], group: tuple[str, ...], newest: float) -> None:
    """Set a group of fields to those of the first report that has them, and note which were computed or relayed."""
    having = [report for report in ranked if any(getattr(report, name) not in (UNSET, 0.0) for name in group[:2])]
    if group is _POSITION:
        having.sort(key=lambda report: precedence(trust(report.type), report.position_at, newest))
    if not having or having[0] is ranked[0]:
        return
    source = having[0]
    for name in group:
        setattr(whole, name, getattr(source, name))
    for kind in ("mlat", "tisb"):
        marked = getattr(source, kind) or ()
        added = [name for name in group if name in marked or (source.type or "").startswith(kind)]
        before = [name for name in getattr(whole, kind) or () if name not in group]
        if added or len(before) < len(getattr(whole, kind) or ()):
            setattr(whole, kind, (*before, *added))
