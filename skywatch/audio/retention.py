"""What audio stores, for retention: transmissions by age and by the bytes of their recordings, which go with them."""

from __future__ import annotations

from typing import Any

from skywatch.audio.models import Transmission
from skywatch.audio.recordings.removal import remove_all_unused
from skywatch.audio.recordings.store import RecordingStore
from skywatch.audio.settings import AudioSettings
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.storage.retention import Kind
from skywatch.settings import Settings

_transmissions: Any = Transmission.__table__


def remove_recordings(settings: Settings, sessions: SessionFactory) -> None:
    """Remove the recordings that no transmission uses, a few in each transaction, and abandoned uploads."""
    store = RecordingStore(settings)
    store.remove_abandoned()
    while True:
        with writing(sessions) as session:
            if not remove_all_unused(session, store):
                return


KINDS: tuple[Kind, ...] = (
    Kind(
        name="audio",
        table=_transmissions,
        # An old recording that was added today is as new as the others; one with a wrong time goes with them.
        column="received_at",
        days=lambda settings: settings.of(AudioSettings).retention_audio_days,
        megabytes=lambda settings: settings.of(AudioSettings).retention_audio_mb,
        bytes_column="bytes",
        after=remove_recordings,
    ),
)
