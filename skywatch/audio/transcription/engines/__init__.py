"""Engines: programs and servers that turn speech into text."""

from __future__ import annotations

from skywatch.audio.settings import AudioSettings
from skywatch.audio.transcription.engines.base import Engine


def create_engine(settings: AudioSettings) -> Engine | None:
    """The engine that the settings name; None for ``none``."""
    if settings.transcription == "openai":
        from skywatch.audio.transcription.engines.openai import OpenAiEngine

        return OpenAiEngine(settings)
    if settings.transcription == "faster-whisper":
        from skywatch.audio.transcription.engines.faster_whisper import FasterWhisperEngine

        return FasterWhisperEngine(settings)
    return None
