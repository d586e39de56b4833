"""Encounters: how many of each drawn geometry are raised, how early, and how often harmless ones are.

``make drill NAME=encounters`` prints the table on the seeds that rules are made with; with UNSEEN set, on the
others. It measures detection, not speed.
"""

from __future__ import annotations

import os
import statistics
from collections import Counter

from tests.unit.safety.geometries.harmful import HARMFUL
from tests.unit.safety.geometries.harmless import HARMLESS
from tests.unit.safety.geometries.scoring import Outcome, numbers, run

COUNT = int(os.environ.get("COUNT", "200"))
UNSEEN = bool(os.environ.get("UNSEEN"))
ONLY = os.environ.get("ONLY", "").split()


def main() -> None:
    """Print a line for each geometry."""
    print(f"{'geometry':<30} {'raised':>7}  {'lead asked':>10} {'kept':>6}  {'median':>6} {'10 %':>5}  held back by")
    for geometry in (*HARMFUL, *HARMLESS):
        if not ONLY or geometry.__name__ in ONLY:
            print(line(geometry.__name__, run(geometry, numbers(COUNT, UNSEEN))), flush=True)


def line(name: str, outcomes: list[Outcome]) -> str:
    """One geometry: the share that was raised; the share with the lead, of all and of those where it was to be had."""
    raised = sum(outcome.raised for outcome in outcomes) / len(outcomes)
    reasons = Counter(word for outcome in outcomes if not outcome.raised for word in outcome.reasons)
    words = ", ".join(f"{word} {count}" for word, count in reasons.most_common(4))
    if not outcomes[0].harmful:
        return f"{name:<30} {raised:7.3f}  {'':>10} {'':>6}  {'':>6} {'':>5}  {words}"
    leads = sorted(outcome.lead_s or 0.0 for outcome in outcomes)
    asked = outcomes[0].asked_s or 0.0
    kept = sum(lead >= asked for lead in leads) / len(leads)
    of_these = [outcome.lead_s or 0.0 for outcome in outcomes if outcome.was_to_be_had]
    share = sum(lead >= asked for lead in of_these) / max(len(of_these), 1)
    sure = f" (to be had by {len(of_these)}: {share:.3f})" if len(of_these) < len(leads) else ""
    median, tenth = statistics.median(leads), leads[len(leads) // 10]
    return f"{name:<30} {raised:7.3f}  {asked:9.0f}s {kept:6.3f}  {median:6.0f} {tenth:5.0f}  {words}{sure}"


if __name__ == "__main__":
    main()
