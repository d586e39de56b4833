"""From a finished file to a transmission: measured, stored under its hash, announced.

Decoding comes before the transaction. In the transaction the row of the recording is claimed first and the file moved
into its place then, so that whoever removes the last transmission of the same bytes cannot take the file away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.audio import messages, metrics
from skywatch.audio.models import Recording, Transmission
from skywatch.audio.recordings.decoder import measure
from skywatch.audio.recordings.measurement import Measured
from skywatch.audio.recordings.store import IncomingFile, RecordingStore
from skywatch.audio.settings import AudioSettings
from skywatch.audio.vocabulary import Flag, Status
from skywatch.core import events
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, insert_into, writing
from skywatch.core.runtime import Runtime

# Another transaction may remove the last transmission of the same bytes in between: the next attempt succeeds.
ATTEMPTS = 3


@dataclass(frozen=True)
class Origin:
    """Where and when a transmission was received, as its sender says."""

    source: str
    channel: str
    at: datetime | None = None
    frequency_hz: int | None = None


class Ingest:
    """Takes finished files."""

    def __init__(self, runtime: Runtime) -> None:
        self._sessions: SessionFactory = runtime.sessions
        self._is_transcribed = runtime.settings.of(AudioSettings).transcription != "none"
        self.store = RecordingStore(runtime.settings)

    def take(
        self,
        file: IncomingFile,
        origin: Origin,
        also: Callable[[Session], None] = lambda session: None,
        *,
        person: str = "",
    ) -> tuple[Transmission, Recording]:
        """Store a file of a person as a transmission; raises Problem (413, 415).

        ``also`` runs in the same transaction.
        """
        file.finish()
        measured = measure(file.path, person)
        for attempt in range(ATTEMPTS):
            try:
                with writing(self._sessions) as session:
                    also(session)
                    return self._store(session, file, measured, origin)
            except sa.exc.IntegrityError:
                if attempt == ATTEMPTS - 1:
                    raise
        raise AssertionError("unreachable")

    def _store(
        self, session: Session, file: IncomingFile, measured: Measured, origin: Origin
    ) -> tuple[Transmission, Recording]:
        now = utcnow()
        recording = self._recording(session, file, measured, now)
        row = Transmission(
            at=origin.at or now,
            received_at=now,
            channel=origin.channel,
            frequency_hz=origin.frequency_hz,
            source=origin.source,
            sha256=recording.sha256,
            duration_s=recording.duration_s,
            bytes=recording.bytes,
            flags=[Flag.TRUNCATED.value] if recording.is_truncated else [],
            status=(Status.QUEUED if self._is_transcribed else Status.NONE).value,
            next_at=now if self._is_transcribed else None,
            segments=[],
            military=False,
            attempts=0,
        )
        session.add(row)
        session.flush()
        events.publish(session, messages.message(session, messages.NEW, row, recording))
        metrics.TRANSMISSIONS.labels(origin.source.partition(":")[0]).inc()
        return row, recording

    def _recording(self, session: Session, file: IncomingFile, measured: Measured, now: datetime) -> Recording:
        path = f"{now:%Y/%m/%d}/{file.sha256}.{measured.kind.ending}"
        values = {
            "sha256": file.sha256,
            "path": path,
            "media_type": measured.kind.media_type,
            "bytes": file.size,
            "duration_s": measured.duration_s,
            "peak_db": measured.peak_db,
            "loudness_lufs": measured.loudness_lufs,
            "waveform": measured.waveform,
            "is_truncated": measured.is_truncated,
            "stored_at": now,
        }
        session.execute(insert_into(session, Recording).values(**values).on_conflict_do_nothing())
        recording = session.scalar(sa.select(Recording).where(Recording.sha256 == file.sha256).with_for_update())
        if recording is None:
            raise sa.exc.IntegrityError("the recording was removed meanwhile", None, Exception("removed"))
        if not self.store.path(recording.path).exists():
            self.store.move(file, recording.path)
        return recording
