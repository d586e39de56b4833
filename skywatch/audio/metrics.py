"""The figures of audio."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

from skywatch.core.metrics import REGISTRY

TRANSMISSIONS = Counter(
    "skywatch_audio_transmissions_total", "Transmissions stored, by source", ("source",), registry=REGISTRY
)
TRANSCRIPTIONS = Counter(
    "skywatch_audio_transcriptions_total", "Attempts to transcribe, by outcome", ("outcome",), registry=REGISTRY
)
TRANSCRIPTION_SECONDS = Histogram(
    "skywatch_audio_transcription_duration_seconds",
    "Time the engine took",
    buckets=(0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
    registry=REGISTRY,
)
