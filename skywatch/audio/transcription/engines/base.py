"""What an engine is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

# Describes the audio to an engine. A transcript in these words was not spoken.
PROMPT = "Air traffic control radio: callsigns, runway, heading, flight level, knots, squawk, contact, cleared, roger."


class EngineFailed(Exception):
    """No transcript; ``str()`` is one line for people, without addresses or secrets."""


@dataclass(frozen=True)
class Segment:
    """A part of a transcript; the figures are Whisper's, None where the engine has none."""

    begin_s: float
    end_s: float
    text: str
    no_speech: float | None = None
    log_probability: float | None = None
    compression: float | None = None


class Engine(Protocol):
    """Turns a recording into text; called in a thread, one recording at a time."""

    def transcribe(self, path: Path, media_type: str) -> list[Segment]:
        """The segments in order; raises EngineFailed."""
