"""The words of audio: states of transcription and marks of transmissions."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """How far the transcription of a transmission is."""

    NONE = "none"
    QUEUED = "queued"
    PROCESSING = "processing"
    DONE = "done"
    NO_SPEECH = "no_speech"
    FAILED = "failed"


class Flag(StrEnum):
    """Marks of a transmission: the recording ends early; words of distress were recognised, perhaps wrongly."""

    TRUNCATED = "truncated"
    POSSIBLE_DISTRESS = "possible_distress"
