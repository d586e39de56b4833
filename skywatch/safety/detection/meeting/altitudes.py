"""Altitudes that jump: one that no aircraft can have reached since the one before counts once another confirms it.

A flipped bit of an altitude code puts an aircraft thousands of feet from where it is until the next message. Two
aircraft that pass each other at different levels are not near because of one such message.
"""

from __future__ import annotations

import numpy as np

from skywatch.safety.detection.frame import Array, Carried, Frame

# How far an altitude may be from the one before: the steps of two encoders and the scatter of their times (ft), and
# the fastest climb and descent (ft/s).
SCATTER_FT, FASTEST_FPS = 500.0, 150.0
# After a gap (s) any altitude may be right.
GAP_S = 30.0


class AltitudeJumps:
    """Which aircraft have an altitude that nothing confirms."""

    def __init__(self) -> None:
        self._carried = Carried(believed=np.nan, latest=np.nan, at=np.nan, is_doubtful=False)

    def update(self, frame: Frame) -> Array:
        """The rows (as a mask) whose latest altitude is neither near the believed one nor near the one before it."""
        self._carried.carry(frame)
        believed, latest, at_before, is_doubtful = (
            self._carried[name] for name in ("believed", "latest", "at", "is_doubtful")
        )
        altitude, at = frame.column("alt_baro_ft"), frame.column("altitude_at")
        rows = ((at != at_before) | (altitude != latest)).nonzero()[0]
        new, passed_s = altitude[rows], at[rows] - at_before[rows]
        reach_ft = SCATTER_FT + FASTEST_FPS * np.maximum(passed_s, 0.0)
        # Where one of them is unknown nothing is far.
        is_far = (np.abs(new - believed[rows]) > reach_ft) & (np.abs(new - latest[rows]) > reach_ft)
        is_far &= ~(passed_s > GAP_S)
        believed[rows] = np.where(is_far, believed[rows], new)
        latest[rows], at_before[rows], is_doubtful[rows] = new, at[rows], is_far
        return is_doubtful
