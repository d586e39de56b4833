"""Files of a folder that cannot be read: when they are tried again."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest

from skywatch.audio.folders import folders
from skywatch.audio.folders.folders import AGAIN_S, FolderReader
from skywatch.inputs.transports.folders import FolderFile


class Clock:
    """Stands for ``time`` and for a queue that nothing comes into: who waits moves the clock on."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now

    def get(self, timeout):
        self.now += timeout
        raise folders.queue.Empty


def test_a_file_is_tried_again_a_minute_later_and_not_before(make_runtime, monkeypatch):
    reader, clock = FolderReader(make_runtime(), "tower", "Tower", UTC), Clock()
    file = FolderFile(Path("a.mp3"), "a.mp3", 1, 0.0)
    reader._unreadable.append((AGAIN_S, file))
    monkeypatch.setattr(folders, "time", clock)
    monkeypatch.setattr(reader, "_queue", clock)
    assert reader._next() is file
    assert clock.now == pytest.approx(AGAIN_S)
