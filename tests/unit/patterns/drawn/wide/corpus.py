"""The wider corpus: so many flights of each kind, from a seed, and how their reception is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from skywatch.patterns.corpora.tracks import Track
from tests.unit.patterns.drawn import airwork, ordinary, watching
from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.pen import Pen
from tests.unit.patterns.drawn.wide import figures, searching, soaring, staying, training, working
from tests.unit.patterns.drawn.wide.reception import MULTILATERATION, Reception, hear

WIND_SHARE = 0.4
STRETCH = 1.3


@dataclass(frozen=True)
class Kind:
    """One kind of flight: `label` is what it is, None where it is no pattern that anybody should hear of."""

    draw: Callable[[Dice], Pen]
    label: str | None = None
    stretch: float = 1.0
    reception: Reception | None = None


KINDS: dict[str, Kind] = {
    "orbit": Kind(watching.orbit, "circling", STRETCH),
    "hand_flown": Kind(watching.hand_flown, "circling", STRETCH),
    "following": Kind(watching.following, "circling", STRETCH),
    "tight_orbit": Kind(figures.tight_orbit, "circling"),
    "drifting_orbit": Kind(figures.drifting_orbit, "circling"),
    "high_orbit": Kind(figures.high_orbit, "circling"),
    "two_places": Kind(figures.two_places, "circling"),
    "eights": Kind(watching.eights, "circling", STRETCH),
    "straight_eights": Kind(figures.straight_eights, "circling"),
    "uneven_eights": Kind(figures.uneven_eights, "circling"),
    "oval": Kind(watching.oval, "racetrack", STRETCH),
    "changing_oval": Kind(watching.changing_oval, "racetrack", STRETCH),
    "long_oval": Kind(figures.long_oval, "racetrack"),
    "close_lanes": Kind(watching.close_lanes, "grid_search", STRETCH),
    "close_field": Kind(watching.close_field, "grid_search", STRETCH),
    "wide_lanes": Kind(watching.wide_lanes, "grid_search", STRETCH),
    "wide_field": Kind(watching.wide_field, "grid_search", STRETCH),
    "back_lanes": Kind(watching.back_lanes, "grid_search", STRETCH),
    "two_blocks": Kind(watching.two_blocks, "grid_search", STRETCH),
    "long_lines": Kind(searching.long_lines, "grid_search"),
    "expanding_square": Kind(searching.expanding_square, "area_search"),
    "sector_search": Kind(searching.sector_search, "area_search"),
    "spiral_search": Kind(searching.spiral_search, "area_search"),
    "road": Kind(ordinary.road, "highway_tracking", STRETCH),
    "loiter": Kind(staying.loiter, "loitering"),
    "hover_from_base": Kind(staying.hover_from_base, "stakeout"),
    "hover_level": Kind(staying.hover_level, "stakeout"),
    "hover_below": Kind(staying.hover_below, "stakeout"),
    "spiral_descent": Kind(ordinary.spiral_descent, None, STRETCH),
    "practice_hold": Kind(ordinary.practice_hold, None, STRETCH),
    "windy_hold": Kind(training.windy_hold),
    "changing_hold": Kind(training.changing_hold),
    "airliner_hold": Kind(training.airliner_hold),
    "delaying": Kind(training.delaying),
    "thermal": Kind(ordinary.thermal, None, STRETCH),
    "weak_lift": Kind(soaring.weak_lift),
    "weak_lift_mlat": Kind(soaring.weak_lift, None, 1.0, MULTILATERATION),
    "slope": Kind(soaring.slope),
    "tows": Kind(soaring.tows),
    "parachutes": Kind(ordinary.parachutes, None, STRETCH),
    "circuits": Kind(ordinary.circuits, None, STRETCH),
    "touch_and_go": Kind(training.touch_and_go),
    "helicopter_circuits": Kind(training.helicopter_circuits),
    "approaches": Kind(training.approaches),
    "procedure_turns": Kind(ordinary.procedure_turns, None, STRETCH),
    "spraying": Kind(working.spraying),
    "balloon": Kind(staying.balloon),
    "balloon_mlat": Kind(staying.balloon, None, 1.0, MULTILATERATION),
    "landed": Kind(staying.landed),
    "taxiing": Kind(staying.taxiing),
    "travel": Kind(ordinary.travel, None, STRETCH),
    "single_lap": Kind(ordinary.single_lap, None, STRETCH),
    "unlike_loops": Kind(airwork.unlike_loops, None, STRETCH),
    "loop_in_loop": Kind(airwork.loop_in_loop, None, STRETCH),
    "steep_turns": Kind(airwork.steep_turns, None, STRETCH),
    "airwork": Kind(airwork.airwork, None, STRETCH),
    "sightseeing": Kind(airwork.sightseeing, None, STRETCH),
    "box_of_turns": Kind(training.box_of_turns),
}

POSITIVE = tuple(name for name, kind in KINDS.items() if kind.label is not None)
ORDINARY = tuple(name for name, kind in KINDS.items() if kind.label is None)


def draw(seed: int, of_each: int, kinds: tuple[str, ...] = ()) -> Iterator[Track]:
    """Yield `of_each` flights of each kind, or of some; the same seed draws the same flights."""
    for number, (name, kind) in enumerate(KINDS.items()):
        for index in range(of_each if not kinds or name in kinds else 0):
            dice = Dice(f"wide/{seed}/{name}/{index}")
            dice.stretch, dice.wind_share = kind.stretch, WIND_SHARE
            pen = kind.draw(dice)
            track = hear(pen, dice, f"{name}-{seed}-{index}", f"{number:02x}{index:04x}", kind.label or name,
                         kind.reception)  # fmt: skip
            track.source = name
            yield track
