"""The readers of tiles: each is a list of squares, and gets the frames of those in one write a tick.

A reader whose connection is congested is skipped until it can take data again; then it gets its tiles in full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from skywatch.realtime.metrics import REALTIME_DROPPED, REALTIME_SENT
from skywatch.realtime.topics.column_events import ColumnEvents
from skywatch.realtime.topics.picture_state import LiveView, PictureState
from skywatch.realtime.topics.tile_frames import TileEvents, Variant, VariantFrames
from skywatch.realtime.topics.tile_grid import Numbers, TileForm
from skywatch.realtime.wire.outbox import Listener


@dataclass(eq=False)
class _Reader:
    listener: Listener
    view: LiveView
    tiles: tuple[int, ...]
    group: _Group
    # Whether it has the contents of the last tick.
    is_level: bool = False


@dataclass(eq=False)
class _Group:
    """The readers of the same variant, and how many of them read each tile."""

    variant: Variant
    counts: Numbers
    readers: dict[_Reader, None] = field(default_factory=dict)


class TileReaders:
    """The readers of one process."""

    def __init__(self, state: PictureState, columns: ColumnEvents) -> None:
        self._events = TileEvents(state, columns)
        self._readers: dict[tuple[Listener, str], _Reader] = {}
        self._groups: dict[Variant, _Group] = {}

    @property
    def group_count(self) -> int:
        """The number of different variants that are read."""
        return len(self._groups)

    def join(self, listener: Listener, view: LiveView) -> None:
        """Add a reader; it gets nothing before ``catch_up``."""
        assert isinstance(view.form, TileForm)
        variant = Variant(view.topic, view.population, view.form.grid, listener.variant[1])
        group = self._groups.get(variant)
        if group is None:
            group = self._groups[variant] = _Group(variant, np.zeros(len(variant.grid), dtype=np.int32))
        reader = self._readers[listener, view.topic] = _Reader(listener, view, view.form.tiles, group)
        group.readers[reader] = None
        group.counts[list(reader.tiles)] += 1

    def leave(self, listener: Listener, view: LiveView) -> None:
        """Remove a reader."""
        reader = self._readers.pop((listener, view.topic))
        group = reader.group
        del group.readers[reader]
        group.counts[list(reader.tiles)] -= 1
        if not group.readers:
            del self._groups[group.variant]

    def is_reading(self, listener: Listener, view: LiveView) -> bool:
        """Whether a listener reads the tiles of a view, and no others by now."""
        reader = self._readers.get((listener, view.topic))
        return reader is not None and reader.view == view

    def catch_up(self, listener: Listener, view: LiveView) -> int:
        """Send all tiles in full to a reader that was congested or is new; returns how many bytes that is."""
        reader = self._readers[listener, view.topic]
        if reader.is_level:
            return 0
        parts = self._full_parts(reader, self._events.of(reader.group.variant))
        frames = b"".join(parts)
        reader.listener.outbox.push(frames)
        reader.is_level = True
        return len(frames)

    def tick(self, continuous: bool, after_each: Callable[[], None]) -> Iterator[tuple[Listener, LiveView, Exception]]:
        """Send the changes of one tick, or all in full after a gap; ``after_each`` is called after each reader.

        Yields the readers for whom no frames could be made: they have to catch up.
        """
        # Not when the last reader leaves: one that changes its list finds the frames of this tick again.
        self._events.forget(self._groups)
        # Sending may end a client that is too slow, which changes the readers.
        for group in list(self._groups.values()):
            sent = dropped = 0
            frames: VariantFrames | None = None
            for reader in list(group.readers):
                if not reader.is_level:
                    continue
                if reader.listener.outbox.congested:
                    reader.is_level = False
                    dropped += 1
                    continue
                try:
                    frames = frames or self._events.of(group.variant)
                    sent += self._send_changes(reader, frames) if continuous else self._send_full(reader, frames)
                except Exception as error:
                    reader.is_level = False
                    yield reader.listener, reader.view, error
                after_each()
            REALTIME_SENT.labels(group.variant.topic).inc(sent)
            if dropped:
                REALTIME_DROPPED.labels(group.variant.topic).inc(dropped)

    def _send_changes(self, reader: _Reader, frames: VariantFrames) -> int:
        shared = frames.changes(reader.group.counts)
        own = self._own(reader, frames, full=False)
        if own:
            shared = shared | own
        parts = list(filter(None, map(shared.get, reader.tiles)))
        if parts:
            reader.listener.outbox.push(b"".join(parts))
        return len(parts)

    def _send_full(self, reader: _Reader, frames: VariantFrames) -> int:
        parts = self._full_parts(reader, frames)
        reader.listener.outbox.push(b"".join(parts))
        return len(parts)

    def _full_parts(self, reader: _Reader, frames: VariantFrames) -> list[bytes]:
        parts = frames.full(reader.tiles)
        own = self._own(reader, frames, full=True)
        if own:
            parts = [own.get(tile, part) for tile, part in zip(reader.tiles, parts, strict=True)]
        return parts

    def _own(self, reader: _Reader, frames: VariantFrames, *, full: bool) -> dict[int, bytes]:
        user, marked = reader.view.user, self._events.marked
        if user is None or not marked.concerns(user):
            return {}
        return frames.personal(user, marked.of(user), marked.toggled(user), reader.tiles, full=full)
