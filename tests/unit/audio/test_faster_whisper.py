"""What the model is given, and what becomes of its answer."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from skywatch.audio.transcription.engines.faster_whisper import FasterWhisperEngine
from skywatch.audio.transcription.noise import RATE
from skywatch.features import load

LENGTH_S = 3.0


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What ``transcribe`` of a stand-in for the model was given."""
    given: dict[str, Any] = {}

    class Model:
        def __init__(self, directory: str, **options: Any) -> None:
            given["directory"] = directory

        def transcribe(self, samples: Any, **options: Any) -> tuple[list[Any], None]:
            given["samples"], given["options"] = samples, options
            figures = {"no_speech_prob": 0.1, "avg_logprob": -0.2, "compression_ratio": 1.1}
            times = [(0.2, 1.5), (1.5, 9.0)]
            return [SimpleNamespace(start=a, end=b, text=" swiss one two ", **figures) for a, b in times], None

    module = ModuleType("faster_whisper")
    voice = np.sin(np.arange(int(LENGTH_S * RATE)) / 5.0).astype(np.float32)
    vars(module).update(WhisperModel=Model, decode_audio=lambda path, sampling_rate: voice)
    monkeypatch.setitem(sys.modules, "faster_whisper", module)
    return given


def test_silence_is_put_around_and_taken_out_of_the_times(tmp_path: Path, given: dict[str, Any]) -> None:
    (tmp_path / "model.bin").touch()
    settings = load({"secret": "s" * 40, "transcription": "faster-whisper", "transcription_model": str(tmp_path)}, {})
    segments = FasterWhisperEngine(settings).transcribe(tmp_path / "a.wav", "audio/wav")
    assert len(given["samples"]) == (LENGTH_S + 1.0) * RATE
    assert not given["samples"][: RATE // 2].any()
    assert not given["samples"][-RATE // 2 :].any()
    assert given["options"] == {"condition_on_previous_text": False}
    assert [(one.begin_s, one.end_s, one.text) for one in segments] == [
        (0.0, 1.0, "swiss one two"),
        (1.0, LENGTH_S, "swiss one two"),
    ]
