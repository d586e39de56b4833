"""What ``skywatch doctor`` checks of recordings: room for them, and who may read them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from skywatch.audio.recordings.conversion import PROGRAM
from skywatch.audio.settings import AudioSettings
from skywatch.core.terminal.checks import Finding, Inspection, check_privacy, check_room, warning

PART = "audio"


def check(inspection: Inspection) -> Iterator[Finding]:
    """The folder of recordings."""
    folder = Path(inspection.settings.of(AudioSettings).audio_directory).expanduser()
    yield check_room(PART, folder)
    if shutil.which(PROGRAM) is None:
        yield warning(
            PART, "ffmpeg is not installed: m4a, AAC and WebM are refused", "install ffmpeg if clients send them"
        )
    yield from check_privacy(PART, folder, "recordings")
