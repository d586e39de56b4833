"""faster-whisper in this process, with the model of a directory; nothing is downloaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skywatch.audio.settings import AudioSettings
from skywatch.audio.transcription.engines.base import PROMPT, EngineFailed, Segment
from skywatch.settings import SettingsError


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
        self._model: Any = None

    def transcribe(self, path: Path, media_type: str) -> list[Segment]:
        """The segments in order; raises EngineFailed."""
        try:
            if self._model is None:
                self._model = self._create(str(self._directory), device="cpu", compute_type="int8")
            # Each window by itself: a fault must not be carried on into the next.
            segments, _ = self._model.transcribe(str(path), initial_prompt=PROMPT, condition_on_previous_text=False)
            return [
                Segment(s.start, s.end, s.text.strip(), s.no_speech_prob, s.avg_logprob, s.compression_ratio)
                for s in segments
            ]
        except (RuntimeError, ValueError, OSError) as error:
            raise EngineFailed(f"faster-whisper failed: {type(error).__name__}.") from error
