"""Small lines of the last 24 hours, as paths of SVG: no script and no style of an element is needed to draw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skywatch.reception.series import SLOTS, ReceiverSeries

WIDTH, HEIGHT = SLOTS, 32
# The line stays inside of the picture where it is highest and lowest.
MARGIN = 1.5


@dataclass(frozen=True)
class Sparkline:
    """A path in a picture of ``WIDTH`` x ``HEIGHT``, and the greatest and the last value."""

    path: str
    most: float
    last: float | None


def draw(values: Sequence[float | None]) -> Sparkline | None:
    """A line from 0 to the greatest value, with gaps where there is none; None without any value."""
    present = [value for value in values if value is not None]
    if not present:
        return None
    most = max(present)
    scale = (HEIGHT - 2 * MARGIN) / most if most else 0.0
    pieces: list[str] = []
    for at, value in enumerate(values):
        if value is None:
            continue
        y = HEIGHT - MARGIN - value * scale
        begins = at == 0 or values[at - 1] is None
        # A value by itself is a dash, for a line needs two points.
        pieces.append(f"M{at} {y:.1f}h1" if begins else f"L{at + 1} {y:.1f}")
    return Sparkline("".join(pieces), most, values[-1])


def lines_of(reception: ReceiverSeries | None, name: str, military: bool) -> dict[str, Sparkline | None]:
    """Messages a second and aircraft of a receiver; ``military``: whether the reader may know of military aircraft."""
    slots = reception.receivers.get(name, []) if reception is not None else []
    return {
        "messages": draw([None if slot is None else slot.messages for slot in slots]),
        "aircraft": draw([None if slot is None else slot.aircraft if military else slot.civil for slot in slots]),
    }
