"""The corpus: so many flights of each kind, from a seed, in the form of recorded tracks.

The same seed draws the same flights. What a kind may be called is said here; a call of anything else is an error, and
so is any call as surveillance where the kind has no segments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from skywatch.patterns.corpora.tracks import Track
from tests.unit.patterns.drawn import airwork, ordinary, watching
from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.pen import Pen


@dataclass(frozen=True)
class Kind:
    """One kind of drawn flight."""

    draw: Callable[[Dice], Pen]
    hint: str
    may_be: tuple[str, ...] = ()


_OVAL = ("racetrack",)
_ROUND = ("circling",)
_BOTH = ("circling", "racetrack")

KINDS: dict[str, Kind] = {
    "orbit": Kind(watching.orbit, "circling"),
    "hand_flown": Kind(watching.hand_flown, "circling"),
    "following": Kind(watching.following, "circling"),
    "eights": Kind(watching.eights, "circling"),
    "oval": Kind(watching.oval, "racetrack"),
    "changing_oval": Kind(watching.changing_oval, "racetrack"),
    "close_lanes": Kind(watching.close_lanes, "grid_survey"),
    "close_field": Kind(watching.close_field, "grid_survey"),
    "wide_lanes": Kind(watching.wide_lanes, "grid_survey"),
    "wide_field": Kind(watching.wide_field, "grid_survey"),
    "back_lanes": Kind(watching.back_lanes, "grid_survey"),
    "two_blocks": Kind(watching.two_blocks, "grid_survey"),
    "road": Kind(ordinary.road, "highway_tracking"),
    "spiral_descent": Kind(ordinary.spiral_descent, "spiral_descent", _ROUND),
    "practice_hold": Kind(ordinary.practice_hold, "practice_hold", _BOTH),
    "jet_hold": Kind(ordinary.jet_hold, "jet_hold", _BOTH),
    "thermal": Kind(ordinary.thermal, "thermal", _ROUND),
    "parachutes": Kind(ordinary.parachutes, "parachutes", _BOTH),
    "circuits": Kind(ordinary.circuits, "aerodrome_circuit", _BOTH),
    "procedure_turns": Kind(ordinary.procedure_turns, "procedure_turns", (*_OVAL, "highway_tracking")),
    "travel": Kind(ordinary.travel, "ordinary"),
    "single_lap": Kind(ordinary.single_lap, "single_lap"),
    "unlike_loops": Kind(airwork.unlike_loops, "other_negative"),
    "loop_in_loop": Kind(airwork.loop_in_loop, "other_negative"),
    "steep_turns": Kind(airwork.steep_turns, "other_negative"),
    "airwork": Kind(airwork.airwork, "other_negative"),
    "sightseeing": Kind(airwork.sightseeing, "other_negative"),
}


def draw(seed: int, of_each: int, *, stretch: float = 1.0, kinds: tuple[str, ...] = ()) -> Iterator[Track]:
    """Yield `of_each` flights of each kind; `stretch` widens the ranges of everything drawn."""
    for number, (name, kind) in enumerate(KINDS.items()):
        if kinds and name not in kinds:
            continue
        for index in range(of_each):
            dice = Dice(f"{seed}/{name}/{index}")
            dice.stretch = stretch
            track = kind.draw(dice).heard(f"{name}-{seed}-{index}", f"{number:02x}{index:04x}", kind.hint)
            track.source = name
            track.may_be = list(kind.may_be)
            yield track
