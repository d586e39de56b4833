"""The folder of recordings as backups have it."""

from __future__ import annotations

from skywatch.audio.recordings.store import INCOMING, RecordingStore
from skywatch.core.backups import StoredFolder
from skywatch.settings import Settings


def stored_folders(settings: Settings) -> list[StoredFolder]:
    """Recordings, without those that are just arriving."""
    directory = RecordingStore(settings).directory
    return [StoredFolder(name="audio", path=directory, setting="audio_directory", without=(INCOMING,))]
