"""The bank of a turn: atan(v w / g), w being the angle turned in a second, as it follows from speed and time."""

from __future__ import annotations

from math import atan, degrees, pi, radians, tan

_M_S_A_KNOT = 1852.0 / 3600.0
_GRAVITY = 9.80665


def bank_deg(speed_kt: float, circle_s: float) -> float:
    """Return the bank (degrees) of a turn that takes `circle_s` for a full circle."""
    return degrees(atan(speed_kt * _M_S_A_KNOT * 2.0 * pi / max(circle_s, 1.0) / _GRAVITY))


def circle_s(speed_kt: float, bank_deg: float) -> float:
    """Return how long (s) a full circle takes with a bank (degrees)."""
    return 2.0 * pi * speed_kt * _M_S_A_KNOT / (_GRAVITY * tan(radians(bank_deg)))
