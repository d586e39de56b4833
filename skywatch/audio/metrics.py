"""The metrics of audio."""

from __future__ import annotations

from skywatch.core.telemetry.metrics import counter, histogram

TRANSMISSIONS = counter("skywatch_audio_transmissions_total", "Transmissions stored, by source", "source")
TRANSCRIPTIONS = counter("skywatch_audio_transcriptions_total", "Attempts to transcribe, by outcome", "outcome")
TRANSCRIPTION_SECONDS = histogram(
    "skywatch_audio_transcription_duration_seconds",
    "Time the engine took",
    buckets=(0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
)
