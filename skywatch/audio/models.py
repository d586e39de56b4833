"""The tables of audio: stored recordings, transmissions, and the files of folders that were taken.

Transmissions with the same bytes share a recording, which goes with the last of them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from skywatch.airframes.military import declare_civil, is_civil
from skywatch.core.database.engine import NEVER_REUSED, Base, BigId, JSONDocument

# ``bytes`` is the name of a column here.
Blob = bytes


class Recording(Base):
    """A stored file and what was measured in it; ``path`` is relative to the audio directory.

    ``waveform`` holds 200 peaks, 0 to 255 of full scale.
    """

    __tablename__ = "audio_recordings"

    sha256: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    path: Mapped[str] = mapped_column(sa.String(120))
    media_type: Mapped[str] = mapped_column(sa.String(16))
    bytes: Mapped[int] = mapped_column(sa.BigInteger)
    duration_s: Mapped[float]
    peak_db: Mapped[float | None]
    loudness_lufs: Mapped[float | None]
    waveform: Mapped[Blob] = mapped_column(sa.LargeBinary)
    is_truncated: Mapped[bool]
    stored_at: Mapped[datetime]


class Transmission(Base):
    """One transmission: when, on which channel, and what was said.

    ``lease``, ``leased_until``, ``attempts`` and ``next_at`` are the queue of transcription.
    """

    __tablename__ = "audio_transmissions"
    __table_args__ = (
        sa.Index("ix_audio_transmissions_at", "at"),
        sa.Index("ix_audio_transmissions_channel_at", "channel", "at"),
        sa.Index("ix_audio_transmissions_sha256", "sha256"),
        sa.Index("ix_audio_transmissions_status_at", "status", "at"),
        sa.Index("ix_audio_transmissions_icao_hex", "icao_hex"),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    at: Mapped[datetime]
    received_at: Mapped[datetime]
    channel: Mapped[str] = mapped_column(sa.String(120))
    frequency_hz: Mapped[int | None] = mapped_column(sa.BigInteger)
    source: Mapped[str] = mapped_column(sa.String(80))
    sha256: Mapped[str] = mapped_column(sa.ForeignKey(Recording.sha256))
    duration_s: Mapped[float]
    bytes: Mapped[int] = mapped_column(sa.BigInteger)
    flags: Mapped[list[str]] = mapped_column(default=list)
    status: Mapped[str] = mapped_column(sa.String(12))
    reason: Mapped[str | None] = mapped_column(sa.String(200))
    transcript: Mapped[str | None] = mapped_column(sa.Text)
    segments: Mapped[Any] = mapped_column(JSONDocument, default=list)
    icao_hex: Mapped[str | None] = mapped_column(sa.String(7))
    callsign: Mapped[str | None] = mapped_column(sa.String(8))
    military: Mapped[bool] = mapped_column(default=False)
    attempts: Mapped[int] = mapped_column(default=0)
    next_at: Mapped[datetime | None]
    lease: Mapped[str | None] = mapped_column(sa.String(32))
    leased_until: Mapped[datetime | None]

    recording: Mapped[Recording] = relationship(lazy="raise")


# Everybody hears a transmission; the link to a military aircraft is hidden.
declare_civil(Transmission, is_civil(Transmission.icao_hex, Transmission.military))


class FolderEntry(Base):
    """A file of a folder that was taken or refused, so that it is not taken again.

    ``key`` stands for its path below the folder and its content, ``stamp`` for path, size and time of change.
    """

    __tablename__ = "audio_folder_entries"

    key: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    stamp: Mapped[str] = mapped_column(sa.String(64), index=True)
    seen_at: Mapped[datetime]
