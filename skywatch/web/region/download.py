"""Fetches the pieces of a map one after the other into a file beside the map, which takes its place when it is whole.

The file holds whole pieces alone, so that its length says where to go on.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from skywatch.sentences import sentence
from skywatch.web.region.cut import Cut, Piece, Read
from skywatch.web.region.errors import RegionFailed
from skywatch.web.region.place import part_of

# What stays free on the disk (bytes).
SPARE_BYTES = 500_000_000


def room_for(path: Path, size: int) -> bool:
    """Whether the disk of a file has room for so many bytes more; raises OSError."""
    return shutil.disk_usage(path.parent).free >= size + SPARE_BYTES


def fetch(
    cut: Cut, read: Read, path: Path, progress: Callable[[int], None], confirm: Callable[[], None] = lambda: None
) -> None:
    """Fetch what is missing of a map and put it in the place of the one before.

    ``progress`` is called with the bytes that are there, ``confirm`` when all are; both may raise to stop. Raises
    RegionFailed.
    """
    part = part_of(path)
    try:
        with open(part, "r+b" if part.exists() else "w+b") as file:
            done, pieces = _begin(file, cut)
            if not room_for(path, cut.size - done):
                raise RegionFailed(sentence("region.no_room", "The disk has no room for this map."))
            progress(done)
            for piece in pieces:
                content = read(piece.offset, piece.length)
                for begin, end in piece.kept:
                    file.write(content[begin:end])
                file.flush()
                os.fsync(file.fileno())
                done += piece.size
                progress(done)
        confirm()
        os.replace(part, path)
        _keep(path.parent)
    except OSError as error:
        raise RegionFailed(
            sentence("region.not_written", "The map cannot be written: {reason}", reason=error.strerror or str(error))
        ) from None


def _keep(folder: Path) -> None:
    """Have the names of the files of a folder on the disk, where the system can say so."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _begin(file: BinaryIO, cut: Cut) -> tuple[int, list[Piece]]:
    """Go on behind the last whole piece of this map, or begin; returns the bytes that are there and what is missing."""
    size = os.fstat(file.fileno()).st_size
    done, missing = len(cut.head), list(cut.pieces)
    if file.read(done) != cut.head:
        file.seek(0)
        file.write(cut.head)
        size = done
    while missing and done + missing[0].size <= size:
        done += missing.pop(0).size
    file.truncate(done)
    file.seek(done)
    return done, missing
