"""``folder PATH``: finds the files that a program puts into a folder, each once it is closed.

A file is closed when it was renamed from another name, or when size and time have not changed for two seconds. Links
and dot files are ignored, subfolders are searched to a depth of three (year, month, day), and no file is touched.
After a start every file is handed out again: the feature knows which ones it has.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from skywatch.inputs.base import Consumer, InputStatus
from skywatch.inputs.retrying_input import MessageInput

SCAN_EVERY_S = 1.0
# A large folder on a slow disk is searched seldom enough to leave the disk to others.
SCAN_SHARE = 0.1
CLOSED_AFTER_S = 2.0
DEEPEST = 3
MAX_FILES = 200_000
# Names under which programs write before they rename.
TEMPORARY = (".tmp", ".part", ".partial")


class FolderFile(NamedTuple):
    """A closed file; ``name`` is its path below the folder, with slashes."""

    path: Path
    name: str
    size: int
    modified_at: float


class _Entry(NamedTuple):
    name: str
    path: str
    size: int
    modified_ns: int
    identity: tuple[int, int]
    is_temporary: bool


class _Watched(NamedTuple):
    entry: _Entry
    unchanged_since: float
    is_delivered: bool


class FolderWatch:
    """The memory of one folder: which files were there, since when they have not changed, which were handed out."""

    def __init__(self) -> None:
        self._files: dict[str, _Watched] = {}

    def update(self, entries: list[_Entry], now: float) -> list[_Entry]:
        """Take what a search found at ``now`` (monotonic s) and give the files that are closed, oldest first."""
        former = {watched.entry.identity: watched for watched in self._files.values()}
        files: dict[str, _Watched] = {}
        closed = []
        for entry in entries:
            watched = self._watch(entry, self._files.get(entry.name), former.get(entry.identity), now)
            is_closed = watched.unchanged_since + CLOSED_AFTER_S <= now
            if is_closed and entry.size and not entry.is_temporary and not watched.is_delivered:
                closed.append(entry)
                watched = watched._replace(is_delivered=True)
            files[entry.name] = watched
        self._files = files
        return sorted(closed, key=lambda entry: (entry.modified_ns, entry.name))

    @staticmethod
    def _watch(entry: _Entry, same_name: _Watched | None, same_file: _Watched | None, now: float) -> _Watched:
        if same_name is not None and same_name.entry == entry:
            return same_name
        if same_file is not None and same_file.entry.name != entry.name:
            # Renamed: whoever wrote it has finished. What was handed out under its former name is not new.
            return _Watched(entry, now - CLOSED_AFTER_S, same_file.is_delivered)
        return _Watched(entry, now, False)


class FolderInput(MessageInput[FolderFile]):
    """The closed files of a folder."""

    def __init__(self, status: InputStatus, path: Path, consumer: Consumer[FolderFile]) -> None:
        super().__init__(status, consumer)
        self._path = path
        self._watch = FolderWatch()

    async def session(self) -> None:
        """Search the folder again and again; raises OSError where it cannot be read."""
        while True:
            started_at = time.monotonic()
            # A folder on a network may hang: never on the loop.
            entries = await asyncio.to_thread(_search, self._path)
            self.set_connected()
            if len(entries) > MAX_FILES:
                self.set_problem(f"more than {MAX_FILES} files; the rest is not read")
                del entries[MAX_FILES:]
            took_s = time.monotonic() - started_at
            for entry in self._watch.update(entries, time.monotonic()):
                await self._consumer.ready()
                file = FolderFile(Path(entry.path), entry.name, entry.size, entry.modified_ns / 1e9)
                self.deliver([file], entry.name)
            await asyncio.sleep(max(SCAN_EVERY_S, took_s / SCAN_SHARE))


def _search(folder: Path) -> list[_Entry]:
    return list(_walk(str(folder), "", DEEPEST))[: MAX_FILES + 1]


def _walk(folder: str, prefix: str, depth: int) -> Iterator[_Entry]:
    with os.scandir(folder) as entries:
        for entry in entries:
            name = prefix + entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    if depth and not entry.name.startswith("."):
                        yield from _walk(entry.path, f"{name}/", depth - 1)
                elif entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    identity = (status.st_dev, status.st_ino)
                    is_temporary = entry.name.startswith(".") or entry.name.endswith(TEMPORARY)
                    yield _Entry(name, entry.path, status.st_size, status.st_mtime_ns, identity, is_temporary)
            except OSError:
                if not prefix and not os.path.isdir(folder):  # the folder itself has gone
                    raise
                continue  # Deleted meanwhile, or a subfolder that may not be read.


def create(family: str, name: str, path: str, consumer: Consumer[FolderFile]) -> FolderInput:
    """A folder that is not there yet is waited for. The feature reads its own options of the setting."""
    folder = Path(path).expanduser()
    status = InputStatus(name=name, kind="folder", address=str(folder), family=family)
    return FolderInput(status, folder, consumer)
