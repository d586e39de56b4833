"""The events of the columns form: full states, and the changes of each tick.

For a view that is thinned by a ``limit`` the aircraft of the last tick are stored; all others are made from the picture
alone. A subscriber that missed a tick gets a full state.
"""

from __future__ import annotations

import msgspec
import numpy as np

from skywatch.picture.state.sky import Sky
from skywatch.realtime.topics.areas import Rows
from skywatch.realtime.topics.columns import EncodedRows, Form, became_stale, thin
from skywatch.realtime.topics.marks import MarkedRows
from skywatch.realtime.topics.picture_state import LiveView, PictureState, members_of
from skywatch.realtime.wire.frames import Event

EVENT = "aircraft:columns"


class ColumnEvents:
    """Makes the events of columns from the state of the picture; what one tick shares is made once."""

    def __init__(self, state: PictureState) -> None:
        self._state = state
        self._seq = -1
        self._epoch = ""
        self._events: dict[tuple[LiveView, bool], Event] = {}
        self._encoded: dict[tuple[tuple[str, ...], bool], EncodedRows] = {}
        # What each view shows in this tick (rows, number hidden), and what thinned ones showed in the one before.
        self._chosen: dict[LiveView, tuple[Rows, int]] = {}
        self._shown_before: dict[LiveView, frozenset[str]] = {}
        self.marked = MarkedRows(state)

    def full(self, view: LiveView) -> Event:
        """The present contents of a view."""
        self._follow()
        event = self._events.get((view, True))
        if event is None:
            rows, hidden = self._choose(view)
            event = self._events[view, True] = self._event(view, rows, [], hidden, full=True)
        return event

    def update(self, view: LiveView, since: int) -> Event:
        """The changes of the last tick; a full state for a subscriber that missed the tick before."""
        self._follow()
        state = self._state
        assert isinstance(view.form, Form)
        is_thinned = view.form.limit is not None
        if since != state.sky.seq - 1 or state.previous is None or (is_thinned and view not in self._shown_before):
            return self.full(view)
        event = self._events.get((view, False))
        if event is None:
            event = self._events[view, False] = self._step(view, state.previous)
        return event

    def _follow(self) -> None:
        """Begin a tick: the choice of the last one becomes the aircraft shown before."""
        sky = self._state.sky
        if (sky.epoch, sky.seq) == (self._epoch, self._seq):
            return
        is_next = sky.epoch == self._epoch and sky.seq == self._seq + 1 and self._state.previous is not None
        before = self._state.previous
        self._shown_before = {}
        if is_next and before is not None:
            thinned = [
                (view, rows)
                for view, (rows, _) in self._chosen.items()
                if isinstance(view.form, Form) and view.form.limit
            ]
            self._shown_before = {view: frozenset(before.hexes[row] for row in rows.tolist()) for view, rows in thinned}
        self._epoch, self._seq = sky.epoch, sky.seq
        self._events, self._encoded, self._chosen = {}, {}, {}

    def _choose(self, view: LiveView) -> tuple[Rows, int]:
        choice = self._chosen.get(view)
        if choice is None:
            assert isinstance(view.form, Form)
            rows = chosen = _rows_in(self._state.sky, view)
            if view.form.limit is not None:
                shown = self._shown_before.get(view, frozenset())
                chosen = thin(self._state.sky, rows, view.form.limit, shown, self.marked.of(view.user))
            choice = self._chosen[view] = (chosen, len(rows) - len(chosen))
        return choice

    def _step(self, view: LiveView, before: Sky) -> Event:
        sky = self._state.sky
        rows, hidden = self._choose(view)
        was = sky.column("previous_row")[rows]
        was_in = np.zeros(len(before), dtype=bool)
        if view in self._shown_before:
            shown = self._shown_before[view]
            was_in[[row for row, address in enumerate(before.hexes) if address in shown]] = True
        else:
            was_in[_rows_in(before, view)] = True
        is_included = was < 0
        if len(before):
            is_included = is_included | ~was_in[np.where(was >= 0, was, 0)]
        is_included = is_included | sky.column("changed")[rows] | became_stale(sky, before)[rows]
        changed = rows[is_included | np.isin(rows, self.marked.toggled(view.user))]
        stays = np.zeros(len(before), dtype=bool)
        stays[was[was >= 0]] = True
        removed = [before.hexes[row] for row in np.flatnonzero(was_in & ~stays).tolist()]
        return self._event(view, changed, removed, hidden, full=False)

    def encoded_rows(self, fields: tuple[str, ...], details: bool) -> EncodedRows:
        """The rows of this tick in a form, shared by all who get that form."""
        self._follow()
        key = (fields, details)
        encoded = self._encoded.get(key)
        if encoded is None:
            encoded = self._encoded[key] = EncodedRows(self._state.sky, fields, details)
        return encoded

    def _event(self, view: LiveView, rows: Rows, removed: list[str], hidden: int, *, full: bool) -> Event:
        sky = self._state.sky
        assert isinstance(view.form, Form)
        encoded = self.encoded_rows(view.form.fields, view.details)
        fields, marked = view.form.fields, self.marked.of(view.user)

        def json() -> bytes:
            return b'{"full":%b,"fields":%b,"rows":%b,"removed":%b,"hidden":%d,"now":%.3f}' % (
                b"true" if full else b"false",
                msgspec.json.encode(fields),
                encoded.json(rows, marked),
                msgspec.json.encode(removed),
                hidden,
                sky.now,
            )

        def packed() -> bytes:
            members = {"full": full, "fields": fields, "removed": removed, "hidden": hidden, "now": round(sky.now, 3)}
            # A map of six: these five and the rows, which are packed already.
            return b"\x86" + msgspec.msgpack.encode(members)[1:] + b"\xa4rows" + encoded.packed(rows, marked)

        return Event(view.topic, EVENT, self._state.epoch(view), sky.seq, json, packed)


def _rows_in(sky: Sky, view: LiveView) -> Rows:
    members = members_of(sky, view.population)
    if view.area is not None:
        members = members & view.area.inside(sky.column("lat"), sky.column("lon"))
    return np.flatnonzero(members)
