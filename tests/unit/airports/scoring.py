"""Scores of movements that were found against those that were flown."""

from __future__ import annotations

from collections import Counter

from skywatch.airports.lines import lines
from skywatch.airports.movements import judge
from skywatch.airports.pressure import LocalPressure
from tests.unit.airports.drawn import Flight

WITHIN_S = 30.0


def score(flights: list[Flight], *, show: bool = False) -> Counter[str]:
    """Count what was flown, found, right, and found on the right runway."""
    counts: Counter[str] = Counter()
    pressure, all_lines = LocalPressure(), lines()
    for flight in flights:
        found = list(judge(flight.track, pressure.heights(flight.track, all_lines), all_lines, flight.nature).movements)
        for truth in flight.truths:
            counts["flown"] += truth.kind is not None and truth.is_covered
            counts["not covered"] += not truth.is_covered
            for each in found:
                is_same = each.kind == truth.kind and all_lines.airports.ident(each.airport) == truth.airport
                if is_same and abs(each.at - truth.at) <= WITHIN_S:
                    counts["right"] += truth.is_covered
                    counts["on a runway"] += truth.runway is not None
                    counts["runway right"] += truth.runway is not None and each.runway == truth.runway
                    if show and each.runway != truth.runway:
                        print("RUNWAY", flight.what, truth, each)
                    found.remove(each)
                    break
            else:
                if show and truth.kind and truth.is_covered:
                    print("MISSED", flight.what, truth, len(flight.track.at), found)
        found = found if all(truth.is_covered for truth in flight.truths) else []
        counts["wrong"] += len(found)
        if show and found:
            print("WRONG", flight.what, flight.truths, found)
    return counts
