"""The encoded objects of a sky that came as changes: put together when somebody reads them.

A process that shows columns or tiles alone never reads them. What came is kept as it came, for some ticks, and dropped
when a whole sky comes.
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any

from skywatch.picture.changes.message import LINE, WHOLE, unpack
from skywatch.picture.state.row_map import RowMap
from skywatch.picture.state.sky import Sky, from_bytes

# So many changes wait at most; a whole sky comes every ten ticks.
MAX_WAITING = 12
# One thread puts objects together, and others wait for what it makes.
_making = threading.RLock()


class Objects:
    """The objects of one sky: a list, or what leads to it."""

    def __init__(self, made: list[bytes] | None = None) -> None:
        self._made = made
        self._before: Objects | None = None
        self._rows: RowMap | None = None
        # The message that leads here from ``_before``, or with none before the whole sky; its lines while it is new.
        self._data = b""
        self._lines: bytes | None = None
        self._waiting = 0

    @classmethod
    def of(cls, sky: Sky) -> Objects:
        """Those of any sky."""
        objects = sky.objects if isinstance(sky, FollowedSky) else None
        return objects or cls(sky.encoded)

    def then(self, data: bytes, lines: bytes, rows: RowMap) -> Objects:
        """Those that the message ``data`` with these lines leads to."""
        following = Objects()
        following._before, following._rows, following._data, following._lines = self, rows, data, lines
        following._waiting = self._waiting + 1
        # Only what is read at once needs the lines as they are.
        self._lines = None
        if following._waiting > MAX_WAITING:
            following.get()
        return following

    def settle(self, data: bytes) -> None:
        """The whole sky has come: what leads to it is not needed any more."""
        with _making:
            if self._made is None:
                self._before = self._rows = self._lines = None
                self._data, self._waiting = data, 1

    def get(self) -> list[bytes]:
        """The objects by row."""
        with _making:
            steps: list[Objects] = []
            last: Objects | None = self
            while last is not None and last._made is None:
                steps.append(last)
                last = last._before
            objects = last._made if last is not None else None
            for step in reversed(steps):
                objects = step._make(objects)
            assert objects is not None
            self._made = objects
            self._before = self._rows = self._lines = None
            self._data, self._waiting = b"", 0
            return objects

    def _make(self, before: list[bytes] | None) -> list[bytes]:
        if before is None or self._rows is None:
            return from_bytes(self._data).encoded
        text = self._lines
        if text is None:
            text = unpack(self._data).encoded
        lines = text.split(LINE) if len(self._rows) else []
        return list(map(_restore, lines, self._rows.listed(before)))


class FollowedSky(Sky):
    """A sky that came as changes; ``objects`` are its ``encoded`` ones."""

    objects: Objects | None = None

    @classmethod
    def make(cls, objects: Objects, **values: Any) -> FollowedSky:
        """A sky of these values, all but ``encoded``."""
        sky = cls(encoded=[], **values)
        members = vars(sky)
        members["objects"] = objects
        # So that they are put together when somebody reads them.
        del members["encoded"]
        return sky

    @cached_property
    def encoded(self) -> list[bytes]:
        """The objects, put together now."""
        assert self.objects is not None
        return self.objects.get()


def _restore(line: bytes, was: bytes) -> bytes:
    if not line:
        return was
    if line[:1] == WHOLE:
        return line[1:]
    # Mostly the first pieces are as before, and the others are all given.
    rest = line.lstrip(b",")
    if rest and len(rest) < len(line) and b",," not in rest and not rest.endswith(b","):
        return b"%b,%b" % (was.rsplit(b",", rest.count(b",") + 1)[0], rest)
    pieces = zip(line.split(b","), was.split(b","), strict=True)
    return b",".join([piece or other for piece, other in pieces])
