"""Noise reduction before transcription."""

import numpy as np
import pytest

from skywatch.audio.transcription import noise
from skywatch.audio.transcription.noise import RATE, reduce_noise


def bursts(seconds: float, level: float):
    """A tone that is there in every other half second, and where it is."""
    at = np.arange(int(seconds * RATE))
    is_on = at % RATE < RATE // 2
    sound = 0.2 * np.sin(2 * np.pi * 1000 * at / RATE) * is_on + np.random.default_rng(1).normal(0, level, len(at))
    return sound.astype("f4"), is_on


def db(samples) -> float:
    return 10 * np.log10((samples.astype("f8") ** 2).mean())


def test_pauses_get_quieter_and_what_stands_out_stays():
    sound, is_on = bursts(4.0, 0.02)
    after = reduce_noise(sound)
    assert -5.0 < db(after[~is_on]) - db(sound[~is_on]) < -2.0
    assert db(after[is_on]) == pytest.approx(db(sound[is_on]), abs=0.5)


def test_without_noise_nothing_changes():
    sound, _ = bursts(2.0, 0.0)
    assert np.abs(reduce_noise(sound) - sound).max() < 0.005


@pytest.mark.parametrize("length", [0, 1, 127, 511, 8001])
def test_every_sample_has_its_successor(length, monkeypatch):
    monkeypatch.setattr(noise, "PIECE", 4000)
    silence = np.zeros(length, "f4")
    after = reduce_noise(silence)
    assert (after.shape, after.dtype, after.any()) == (silence.shape, silence.dtype, False)
