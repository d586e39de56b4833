"""faster-whisper in this process, with the model of a directory; nothing is downloaded.

Two things make it recognise more words of a radio than the bare model does (docs/audio.md): less noise, and a
moment of silence around the recording, whose first and last words it drops otherwise. It gets no prompt: with one it
drops the first word of clean speech.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from skywatch.audio.settings import AudioSettings
from skywatch.audio.transcription.engines.base import EngineFailed, Segment
from skywatch.audio.transcription.noise import RATE, reduce_noise
from skywatch.settings import SettingsError

SILENCE_S = 0.5


class FasterWhisperEngine:
    """Loads its model at the first recording; raises SettingsError where there is none."""

    def __init__(self, settings: AudioSettings) -> None:
        self._directory = Path(settings.transcription_model).expanduser()
        if not (self._directory / "model.bin").is_file():
            raise SettingsError(
                "transcription_model", f"{self._directory} is not the directory of a model (it has no model.bin)"
            )
        try:
            import faster_whisper
        except ImportError as error:
            raise SettingsError(
                "transcription", f"faster-whisper cannot be loaded ({error}); try pip install 'skywatch[speech]'"
            ) from None
        self._create: Any = faster_whisper.WhisperModel
        self._decode: Any = faster_whisper.decode_audio
        self._model: Any = None

    def transcribe(self, path: Path, media_type: str) -> list[Segment]:
        """The segments in order; raises EngineFailed."""
        try:
            if self._model is None:
                self._model = self._create(str(self._directory), device="cpu", compute_type="int8")
            samples = self._decode(str(path), sampling_rate=RATE)
            length_s = len(samples) / RATE
            padded = np.pad(reduce_noise(samples), int(SILENCE_S * RATE))
            # Each window by itself: a fault must not be carried on into the next.
            segments, _ = self._model.transcribe(padded, condition_on_previous_text=False)
            return [_segment(segment, length_s) for segment in segments]
        except (RuntimeError, ValueError, OSError) as error:
            raise EngineFailed(f"faster-whisper failed: {type(error).__name__}.") from error


def _segment(segment: Any, length_s: float) -> Segment:
    """A segment of the model, with times of the recording."""
    begin_s, end_s = (min(max(at - SILENCE_S, 0.0), length_s) for at in (segment.start, segment.end))
    return Segment(
        begin_s, end_s, segment.text.strip(), segment.no_speech_prob, segment.avg_logprob, segment.compression_ratio
    )
