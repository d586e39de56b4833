"""Whether laps are enough to be reported."""

from math import cos, radians, sin

from skywatch.patterns.findings import PatternType
from skywatch.patterns.loops.judgement import kind_at
from skywatch.patterns.loops.loops import LoopFinder
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.trail import Vertex

RADIUS_NM, LAP_S, STEP_S = 0.8, 200.0, 5.0


def test_laps_are_a_share_of_the_time_since_the_first_of_them() -> None:
    settings = PatternSettings()
    finder, laps, t = LoopFinder(settings), [], 0.0
    while len(laps) < 4:
        turned = 360.0 * t / LAP_S
        angle, speed_kt = radians(turned), 3600.0 * 2.0 * 3.14159 * RADIUS_NM / LAP_S
        found = finder.add(Vertex(t, -RADIUS_NM * cos(angle), RADIUS_NM * sin(angle), 1500.0, speed_kt, turned, 0.0))
        laps += [found] if found is not None else []
        t += STEP_S
    flown_s = sum(lap.shape.duration_s for lap in laps)
    assert flown_s > settings.enough_laps.min_s
    late = laps[0].shape.t0 + flown_s / settings.enough_laps.time_share
    assert kind_at(late - 1.0, laps, None, finder, settings) is PatternType.CIRCLING
    assert kind_at(late + 1.0, laps, None, finder, settings) is None
