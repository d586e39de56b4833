"""The state of every aircraft at each receiver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter

from skywatch.picture.receiving.fields import SHORTEST_LIFETIME_S
from skywatch.picture.receiving.merge import without_expired
from skywatch.picture.receiving.view import View, absorb, expire, view_of
from skywatch.receivers.reports.report import Report


class ReceiverViews:
    """The views of one receiver, by address; ``index`` is its place among the picture's receivers."""

    def __init__(self, name: str, index: int) -> None:
        self.name = name
        self.index = index
        self.views: dict[str, Report] = {}
        # Whether any view is accumulated from increments; only such views have fields that expire by themselves.
        self.grows = False

    def put(self, reports: Sequence[Report]) -> None:
        """Take reports: a snapshot replaces the view, an increment adds to it."""
        if all(map(attrgetter("snapshot"), reports)):
            self.views.update(zip(map(attrgetter("hex"), reports), reports, strict=True))
            return
        for report in reports:
            if report.snapshot:
                self.views[report.hex] = report
                continue
            view = self.views.get(report.hex)
            if type(view) is not View:
                view = self.views[report.hex] = view_of(report.hex)
                self.grows = True
            absorb(view, report)

    def forget(self, before: float) -> None:
        """Drop the aircraft that were last received before this time."""
        for address in [address for address, view in self.views.items() if view.at <= before]:
            del self.views[address]

    def restore(self, views: Iterable[Report]) -> None:
        """Restore saved views of aircraft that were not received since."""
        for view in views:
            self.views.setdefault(view.hex, view)
            self.grows |= type(view) is View

    def current(self, now: float) -> dict[str, Report]:
        """The views without expired fields."""
        if self.grows:
            for view in self.views.values():
                if type(view) is View:
                    expire(view, now)
        old = now - SHORTEST_LIFETIME_S
        aged = [view for view in self.views.values() if view.at < old and type(view) is not View]
        if not aged:
            return self.views
        return self.views | {view.hex: without_expired(view, now) for view in aged}

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        for view in self.views.values():
            view.at += step
            view.position_at += step
            if isinstance(view, View):
                view.type_at += step
                view.expires_at += step
                for state in view.heard.values():
                    state.at += step
