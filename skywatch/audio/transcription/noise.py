"""Noise reduction before transcription: quietens what a receiver adds to a voice, as far as that loses no speech.

A spectral gain after Wiener (Boll, "Suppression of Acoustic Noise in Speech Using Spectral Subtraction", 1979) with a
high floor: more than some 5 dB makes a model recognise fewer words, because weak consonants go with the noise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

RATE = 16_000
WINDOW, STEP = 512, 128
# Power of the noise: what is exceeded by all but this share of the frames, and its ratio to the mean of noise.
QUIET_SHARE, QUIET_TO_MEAN = 0.2, 1.3
# Frames over which power is averaged.
SMOOTH_FRAMES = 5
# Power that stays of what is noise alone (-4.6 dB).
FLOOR = 0.35
# The noise is estimated for each of these (samples), which also bounds the memory.
PIECE = 20 * RATE
_window: Any = np.sqrt(np.hanning(WINDOW + 1)[:-1])


def reduce_noise(samples: Any) -> Any:
    """The same number of samples (float32, 16 kHz, one channel) with less noise."""
    pieces = [_reduce(samples[begin : begin + PIECE]) for begin in range(0, len(samples), PIECE)]
    return np.concatenate(pieces) if pieces else samples


def _reduce(samples: Any) -> Any:
    # Zeros around it: each sample lies in as many frames as the others.
    padded = np.pad(samples, (WINDOW, WINDOW + -len(samples) % STEP))
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::STEP]
    spectrum = np.fft.rfft(frames * _window, axis=1)
    power = _smooth(np.abs(spectrum) ** 2)
    noise = np.quantile(power, QUIET_SHARE, axis=0) * QUIET_TO_MEAN
    gain = np.maximum(1.0 - noise / np.maximum(power, 1e-12), FLOOR)
    quieter = np.fft.irfft(spectrum * np.sqrt(gain), axis=1) * _window
    total, weight = np.zeros(len(padded)), np.zeros(len(padded))
    for number, frame in enumerate(quieter):
        window = slice(number * STEP, number * STEP + WINDOW)
        total[window] += frame
        weight[window] += _window**2
    middle = slice(WINDOW, WINDOW + len(samples))
    return (total[middle] / weight[middle]).astype("f4")


def _smooth(power: Any) -> Any:
    """The mean over neighbouring frames."""
    around = SMOOTH_FRAMES // 2
    padded = np.pad(power, ((around, around), (0, 0)))
    return np.lib.stride_tricks.sliding_window_view(padded, SMOOTH_FRAMES, axis=0).mean(axis=-1)
