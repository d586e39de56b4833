"""Voice activity: whether a recording holds anything like speech, before an engine is asked.

A frame is voiced where its autocorrelation has a peak at the period of a voice (70 to 400 Hz) that stands out from
shorter periods: noise has no peak, and tones and data bursts have theirs at short periods.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from skywatch.audio.recordings.conversion import opened

FRAME_S, STEP_S = 0.04, 0.02
LOWEST_HZ, HIGHEST_HZ = 70.0, 400.0
PEAK, SILENCE, LOW_SHARE = 0.4, 1e-6, 0.3
# So many voiced frames in all, at least three of them in a row, are speech.
FEWEST_FRAMES, FEWEST_IN_A_ROW = 6, 3
BLOCK_S = 10.0


def has_voice(path: Path) -> bool:
    """Whether a recording holds speech; raises OSError where it cannot be read any more."""
    import soundfile

    count, longest = 0, 0
    try:
        with soundfile.SoundFile(opened(path)) as sound:
            # Half the rate above 16 kHz, and so on: voices need no more.
            divisor = max(1, sound.samplerate // 8000)
            for block in sound.blocks(int(sound.samplerate * BLOCK_S), dtype="float32", always_2d=True):
                voiced = voiced_frames(_thinned(block.mean(axis=1), divisor), sound.samplerate / divisor)
                count += int(voiced.sum())
                longest = max(longest, _longest_run(voiced))
                if count >= FEWEST_FRAMES and longest >= FEWEST_IN_A_ROW:
                    return True
    except soundfile.LibsndfileError:
        pass  # Truncated: what was decoded counts.
    return False


def _thinned(samples: Any, divisor: int) -> Any:
    whole = len(samples) // divisor * divisor
    return samples[:whole].reshape(-1, divisor).mean(axis=1) if divisor > 1 else samples


def voiced_frames(samples: Any, rate: float) -> Any:
    """For each frame, whether it is voiced."""
    size, step = int(rate * FRAME_S), int(rate * STEP_S)
    if len(samples) < size:
        return np.zeros(0, bool)
    frames = np.lib.stride_tricks.sliding_window_view(samples, size)[::step].astype("f8")
    frames = frames - frames.mean(axis=1, keepdims=True)
    power = (frames**2).mean(axis=1)
    spectrum = np.abs(np.fft.rfft(frames, 2 * size, axis=1)) ** 2
    correlation = np.fft.irfft(spectrum, axis=1)[:, :size]
    # Fewer samples overlap at longer lags.
    correlation = correlation / np.maximum(correlation[:, :1], 1e-12) * (size / (size - np.arange(size)))
    shortest, longest = int(rate / HIGHEST_HZ), min(int(rate / LOWEST_HZ), size // 2)
    pitch = correlation[:, shortest : longest + 1].max(axis=1)
    # From the first zero on: before it every signal resembles itself.
    lags = np.arange(shortest)
    below = correlation[:, :shortest] < 0
    first = np.where(below.any(axis=1), below.argmax(axis=1), shortest)
    short = np.where(lags[None, :] > first[:, None], correlation[:, :shortest], -1.0).max(axis=1, initial=-1.0)
    hertz = np.fft.rfftfreq(2 * size, 1 / rate)
    # Vowels are strong below 1 kHz, also over the radio; the tones of data (1,200 Hz and more) are not.
    low = spectrum[:, (hertz > 150) & (hertz < 1000)].sum(axis=1) / np.maximum(spectrum.sum(axis=1), 1e-12)
    return (
        (low > LOW_SHARE)
        & (power > SILENCE)
        & (power > 0.01 * power.max(initial=0))
        & (pitch > PEAK)
        & (pitch > short * 1.05)
    )


def _longest_run(voiced: Any) -> int:
    longest = run = 0
    for is_voiced in voiced.tolist():
        run = run + 1 if is_voiced else 0
        longest = max(longest, run)
    return longest
