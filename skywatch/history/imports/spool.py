"""Positions on the disk while files are read: divided by address, so that all of an aircraft are in one small file.

Files need not be in order of time, nor be read at once: whatever they are, memory holds one part of the aircraft.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from skywatch.history.imports.imported_points import ROW, Rows

PARTS = 256
# More in one part does not fit into a small machine's memory.
MAX_PART_BYTES = 512_000_000
Mark = dict[int, int]


class SpoolError(Exception):
    """More than can be imported at once; ``str()`` is one line."""


class Spool:
    """The parts; files in a folder that the caller deletes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[int, BinaryIO] = {}

    def add(self, rows: Rows) -> None:
        """Add some positions."""
        part = (rows["code"].astype("u8") * np.uint64(2654435761) & np.uint64(0xFFFFFFFF)) * np.uint64(
            PARTS
        ) >> np.uint64(32)
        order = np.argsort(part, kind="stable")
        cuts = np.flatnonzero(np.diff(part[order])) + 1
        for chosen in np.split(order, cuts) if len(order) else []:
            self._file(int(part[chosen[0]])).write(rows[chosen].tobytes())

    def _file(self, part: int) -> BinaryIO:
        file = self._files.get(part)
        if file is None:
            file = self._files[part] = open(self._folder / f"{part}.rows", "w+b")  # noqa: SIM115 - close() closes it
        if file.tell() > MAX_PART_BYTES:
            raise SpoolError("these are too many positions for one import: give fewer files at once")
        return file

    def mark(self) -> Mark:
        """What there is now."""
        return {part: file.tell() for part, file in self._files.items()}

    def go_back(self, mark: Mark) -> None:
        """Drop what was added since."""
        for part, file in self._files.items():
            file.seek(mark.get(part, 0))
            file.truncate()

    @property
    def rows(self) -> int:
        """How many positions there are."""
        return sum(file.tell() for file in self._files.values()) // ROW.itemsize

    def parts(self) -> Iterator[Rows]:
        """The positions of each part."""
        for file in self._files.values():
            file.seek(0)
            rows = np.frombuffer(bytearray(file.read()), ROW)
            if len(rows):
                yield rows

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.close()
