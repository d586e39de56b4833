"""Integrated loudness after ITU-R BS.1770-4 (EBU R 128): K-weighting, blocks of 400 ms, two gates.

Recordings shorter than a block are measured as one block.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

ABSOLUTE_GATE_LUFS, RELATIVE_GATE_LU, OFFSET = -70.0, -10.0, -0.691
STEP_S, STEPS_A_BLOCK = 0.1, 4
# The impulse response of the weighting has died away after this time (s).
RESPONSE_S = 0.25


@functools.lru_cache(maxsize=8)
def _response(rate: int) -> Any:
    """The impulse response of the K-weighting at a sample rate (BS.1770-4, annex 1, designed for any rate)."""
    samples = np.zeros(math.ceil(RESPONSE_S * rate))
    samples[0] = 1.0
    return _biquad(_biquad(samples, _shelf(rate)), _high_pass(rate))


def _shelf(rate: int) -> tuple[float, ...]:
    # Parameters as in libebur128: they give the standard's table at 48 kHz.
    k = math.tan(math.pi * min(1681.974450955533, rate * 0.45) / rate)
    q, high = 0.7071752369554196, 10 ** (3.999843853973347 / 20)
    band = high**0.4996667741545416
    a0 = 1 + k / q + k * k
    return (
        (high + band * k / q + k * k) / a0,
        2 * (k * k - high) / a0,
        (high - band * k / q + k * k) / a0,
        2 * (k * k - 1) / a0,
        (1 - k / q + k * k) / a0,
    )


def _high_pass(rate: int) -> tuple[float, ...]:
    k, q = math.tan(math.pi * 38.13547087602444 / rate), 0.5003270373238773
    a0 = 1 + k / q + k * k
    return 1.0, -2.0, 1.0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0


def _biquad(samples: Any, coefficients: tuple[float, ...]) -> Any:
    b0, b1, b2, a1, a2 = coefficients
    filtered = []
    x1 = x2 = y1 = y2 = 0.0
    for x in samples.tolist():
        y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
        x1, x2, y1, y2 = x, x1, y, y1
        filtered.append(y)
    return np.array(filtered)


class LoudnessMeter:
    """Takes samples block by block, ``(frames, channels)`` of full scale 1; ``integrated`` is the loudness (LUFS)."""

    def __init__(self, rate: int, channels: int) -> None:
        self._response = _response(rate)
        self._tail = np.zeros((len(self._response) - 1, channels))
        self._step = max(1, round(rate * STEP_S))
        self._rest = np.zeros(0)
        self._sums: list[Any] = []
        self._energy, self._frames = 0.0, 0

    def add(self, samples: Any) -> None:
        """Measure some more."""
        count = len(samples)
        if not count:
            return
        size = 1 << (count + len(self._response) - 2).bit_length()
        spectrum = np.fft.rfft(samples, size, axis=0) * np.fft.rfft(self._response, size)[:, None]
        filtered = np.fft.irfft(spectrum, size, axis=0)[: count + len(self._tail)]
        filtered[: len(self._tail)] += self._tail
        self._tail = filtered[count:].copy()
        power = (filtered[:count] ** 2).sum(axis=1)
        self._energy += float(power.sum())
        self._frames += count
        power = np.concatenate((self._rest, power))
        whole = len(power) // self._step * self._step
        self._sums.append(power[:whole].reshape(-1, self._step).sum(axis=1))
        self._rest = power[whole:]

    def integrated(self) -> float | None:
        """The loudness of all samples; None where everything is below the absolute gate."""
        sums = np.concatenate(self._sums) if self._sums else np.zeros(0)
        if len(sums) >= STEPS_A_BLOCK:
            blocks = np.convolve(sums, np.ones(STEPS_A_BLOCK), "valid") / (STEPS_A_BLOCK * self._step)
        elif self._frames:
            blocks = np.array([self._energy / self._frames])
        else:
            return None
        blocks = blocks[blocks > _power(ABSOLUTE_GATE_LUFS)]
        if not len(blocks):
            return None
        gate = _loudness(float(blocks.mean())) + RELATIVE_GATE_LU
        return _loudness(float(blocks[blocks > _power(gate)].mean()))


def _loudness(power: float) -> float:
    return OFFSET + 10 * math.log10(power)


def _power(loudness: float) -> float:
    return float(10 ** ((loudness - OFFSET) / 10))
