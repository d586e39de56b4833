"""What ``skywatch doctor`` checks of recordings: room for them, and who may read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from skywatch.audio.settings import AudioSettings
from skywatch.core.terminal.finding import Finding, Inspection
from skywatch.core.terminal.folders import check_privacy, check_room

PART = "audio"


def check(inspection: Inspection) -> Iterator[Finding]:
    """The folder of recordings."""
    folder = Path(inspection.settings.of(AudioSettings).audio_directory).expanduser()
    yield check_room(PART, folder)
    yield from check_privacy(PART, folder, "recordings")
