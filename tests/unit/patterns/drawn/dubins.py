"""The shortest way of an aircraft from one place and heading to another: arcs of one radius and a straight line.

Source: L. E. Dubins, "On Curves of Minimal Length with a Constraint on Average Curvature", American Journal of
Mathematics 79 (1957); the closed forms are those of A. Shkel and V. Lumelsky, "Classification of the Dubins set",
Robotics and Autonomous Systems 34 (2001). Angles here are mathematical (counter-clockwise from +x), lengths in radii.
"""

from __future__ import annotations

from math import acos, atan2, cos, hypot, pi, sin, sqrt

Piece = tuple[float, float]
"""Turn (-1 right, 0 straight, 1 left) and length in radii."""


def _mod(angle: float) -> float:
    return angle % (2.0 * pi)


def shortest(dx: float, dy: float, heading0: float, heading1: float) -> list[Piece]:
    """Return the pieces of the shortest way over (`dx`, `dy`) radii from `heading0` to `heading1` (radians)."""
    d, theta = hypot(dx, dy), atan2(dy, dx)
    a, b = _mod(heading0 - theta), _mod(heading1 - theta)
    sa, sb, ca, cb, cab = sin(a), sin(b), cos(a), cos(b), cos(a - b)
    ways: list[list[Piece]] = []

    for side in (1.0, -1.0):
        # The ways that begin to the right are those that begin to the left in a mirror.
        al, be = (a, b) if side > 0 else (_mod(-a), _mod(-b))
        s_a, s_b = side * sa, side * sb
        square = 2.0 + d * d - 2.0 * cab + 2.0 * d * (s_a - s_b)
        if square >= 0.0:
            angle = atan2(cb - ca, d + s_a - s_b)
            ways.append([(side, _mod(angle - al)), (0.0, sqrt(square)), (side, _mod(be - angle))])
        square = -2.0 + d * d + 2.0 * cab + 2.0 * d * (s_a + s_b)
        if square >= 0.0:
            p = sqrt(square)
            angle = atan2(-ca - cb, d + s_a + s_b) - atan2(-2.0, p)
            ways.append([(side, _mod(angle - al)), (0.0, p), (-side, _mod(angle - be))])
        cosine = (6.0 - d * d + 2.0 * cab + 2.0 * d * (s_b - s_a)) / 8.0
        if abs(cosine) <= 1.0:
            p = _mod(2.0 * pi - acos(cosine))
            t = _mod(-al + atan2(-ca + cb, d + s_a - s_b) + p / 2.0)
            ways.append([(side, t), (-side, p), (side, _mod(be - al - t + p))])
    return min(ways, key=lambda way: sum(length for _, length in way))
