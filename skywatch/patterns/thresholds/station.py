"""Keeping to a place: loitering, area searches and stakeouts, as windows of the last minutes show them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StationWindow:
    """A window of samples shows something once it is full and has no gap.

    Samples are `sample_s` apart and a gap is longer than `gap_s`. Limits are wider by the factor `open_slack` while a
    pattern is open, so that it does not flap, and it ends when it has not held for `pause_s`. Ground gone over is
    counted in cells of `cell_nm`, which is what an observer sees to each side.
    """

    sample_s: float = 15.0
    gap_s: float = 180.0
    full_share: float = 0.95
    open_slack: float = 1.3
    pause_s: float = 180.0
    cell_nm: float = 0.5


@dataclass(frozen=True)
class StationKeeping:
    """An aircraft keeps to a place where its way folds within a small area, level and at a speed to watch from.

    The way is `folds` radii long; a straight line is 3.5 long, there and back 7. A smaller area or less speed is
    hovering or taxiing, and outside the height of `level_ft` it is training or soaring.
    """

    folds: float = 9.0
    min_radius_nm: float = 0.1
    min_speed_kt: float = 45.0
    max_speed_kt: float = 200.0
    level_ft: float = 1200.0


@dataclass(frozen=True)
class Loitering:
    """An aircraft loiters where it keeps to a place for `window_s`, longer than a hold or a wait for clearance.

    The root mean square radius is at most `max_radius_nm`. The height stays within `level_ft` where the way just folds
    enough and within as much more as it folds more often, since a stall or a climb between two exercises takes 300 ft.
    """

    window_s: float = 1200.0
    max_radius_nm: float = 3.0
    level_ft: float = 250.0


@dataclass(frozen=True)
class WindowSearch:
    """An aircraft searches an area where it keeps to a place over ever new ground, on lines in a few directions.

    The height stays within `level_ft`, as what is looked for must look alike from every leg. `order` is how well the
    directions agree (0 at random, 1 exactly) whether they are at right angles or 60 degrees apart, `one_sided` the
    share of turns to one side (a grid and training turn to both), and `new_share` the share of new ground.
    """

    window_s: float = 1800.0
    min_radius_nm: float = 1.0
    max_radius_nm: float = 6.0
    level_ft: float = 400.0
    order: float = 0.5
    one_sided: float = 0.7
    new_share: float = 0.72


@dataclass(frozen=True)
class Stakeout:
    """An aircraft watches one spot where it keeps nearly still there for longer than a helicopter's landing approach.

    A glider in a thermal does not keep the height, and circles from 43 kt on. Where no speed is sent, that from
    position to position counts, less what noise adds; where noise alone makes more than `max_noise_kt`, or positions
    are more than `max_step_s` apart, the circles of gliders do not show, and the height stays within `still_ft`.
    """

    window_s: float = 360.0
    max_radius_nm: float = 0.35
    level_ft: float = 500.0
    still_ft: float = 75.0
    max_speed_kt: float = 25.0
    max_noise_kt: float = 60.0
    max_step_s: float = 10.0


@dataclass(frozen=True)
class CameFlying:
    """An aircraft came flying where it kept a speed for some time, which parked aircraft, cars and balloons do not.

    Its way must bear out `way_share` of that speed, which the noise of multilateration does not. How noisy positions
    were on the way is measured while those of a stakeout's time lie `noise_radius_nm` apart (mean square) and more.
    """

    speed_kt: float = 55.0
    way_share: float = 0.7
    min_s: float = 40.0
    noise_radius_nm: float = 1.0


@dataclass(frozen=True)
class OffTheGround:
    """An aircraft that keeps still is in the air where its height or its speed says so.

    It is `above_lowest_ft` above the lowest level of its trail, or at most `below_cruise_ft` below a level at which it
    flew on for `cruise_s`, and its height wanders by `wander_ft` (an altimeter on the ground shows 50 at most) or it
    drifts at `drift_kt`. Lower down, at most `settled_share` of the samples lie within `settled_ft` of the lowest one.
    Who shows less than 1 kt in more than `still_share` of the samples is in the air only at the level of his flight.
    """

    above_lowest_ft: float = 200.0
    below_cruise_ft: float = 150.0
    cruise_s: float = 60.0
    settled_share: float = 0.6
    settled_ft: float = 50.0
    still_share: float = 0.5
    wander_ft: float = 75.0
    drift_kt: float = 8.0
