"""The samples of a climb or descent answer what a list of all of them would."""

import random

import pytest

from skywatch.safety.detection.vertical import IMPOSSIBLE_FPM, MEMORY_S, MEMORY_SAMPLES, _Profile


class Plain:
    def __init__(self):
        self.samples = []

    def add(self, at, altitude, rate):
        if self.samples and at <= self.samples[-1][0]:
            return
        if self.samples:
            before_at, before, _ = self.samples[-1]
            if abs(altitude - before) / max(at - before_at, 0.5) * 60 > IMPOSSIBLE_FPM:
                self.samples.clear()
        self.samples = [s for s in [*self.samples, (at, altitude, rate)][-MEMORY_SAMPLES:] if at - s[0] <= MEMORY_S]

    def change(self, start, end):
        inside = [altitude for at, altitude, _ in self.samples if start <= at <= end]
        return inside[-1] - inside[0] if len(inside) > 1 else 0.0

    def latest(self, least_fpm, sign, window_s):
        end = self.samples[-1][0]
        recent = [(at, rate) for at, _, rate in reversed(self.samples) if end - at <= window_s]
        return next((sample for sample in recent if sample[1] * sign >= least_fpm), None)

    def is_steep(self, least_fpm, since):
        return any(abs(rate) >= least_fpm and at > since for at, _, rate in self.samples)


@pytest.mark.parametrize("step_s", [0.25, 1.0, 7.0])
def test_samples_answer_what_a_list_of_them_would(step_s):
    chance = random.Random(3)
    ours, plain = _Profile(), Plain()
    at, altitude = 1_700_000_000.0, 20_000.0
    for _ in range(400):
        at += chance.choice((step_s, step_s, step_s, -1.0, 0.0, 20.0 if step_s > 0.5 else step_s))
        altitude += chance.choice((30.0, 60.0, -80.0)) if chance.random() < 0.99 else 30_000.0
        sample = at, altitude, chance.choice((0.0, 900.0, 3_000.0, -3_000.0, -6_000.0))
        ours.add(*sample)
        plain.add(*sample)
        assert list(zip(ours.times, ours.altitudes, ours.rates, strict=True)) == plain.samples
        start = at - chance.choice((0.0, step_s, 10.0, 45.0, 200.0))
        assert ours.change(start, at) == plain.change(start, at)
        for window_s in (0.0, 10.0, step_s * 3, 500.0):
            assert ours.latest(3_000.0, -1.0, window_s) == plain.latest(3_000.0, -1.0, window_s)
            assert ours.is_steep(6_000.0, at - window_s) == plain.is_steep(6_000.0, at - window_s)
