"""What was measured of one fault, and of all faults of a class together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

# From so many faults on the 95th percentile is told, the worst of fewer.
FOR_PERCENTILE = 30
# Subscribers whose connection broke are back within so long (s).
BACK_S = 5.0


@dataclass
class Outcome:
    """What was measured of one fault.

    ``gap_s`` is the longest time between two ticks that anybody received, ``longest_s`` the same of the one subscriber
    who waited longest, and ``back_s`` how long one whose connection broke had no tick.
    """

    gap_s: float
    longest_s: float
    back_s: float
    well_after_s: float
    load: float
    broken: int = 0
    unequal: int = 0
    alerts: int = 0
    alerts_doubled: int = 0
    alerts_lost: int = 0
    flights_doubled: int = 0
    events: int = 0
    events_doubled: int = 0
    events_lost: int = 0
    commits: int = 0
    commits_lost: int = 0
    late_rows: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    other_answers: list[str] = field(default_factory=list)

    @property
    def broken_promises(self) -> list[str]:
        """What has to be nothing and is not, in words."""
        counts = {
            "alerts doubled": self.alerts_doubled,
            "alerts lost": self.alerts_lost,
            "flights doubled": self.flights_doubled,
            "events doubled": self.events_doubled,
            "events lost": self.events_lost,
            "commits lost": self.commits_lost,
            "rows of a tracker that was replaced": self.late_rows,
            "subscribers that differ from REST": self.unequal,
            "other answers": len(self.other_answers),
        }
        found = [f"{count} {what}" for what, count in counts.items() if count]
        return [*found, *self.other_answers[:5]]


HEAD = (
    "| Fault | Times | Gap of the picture | Goal | Longest of a subscriber | Back after a break | All well after"
    " | Alerts/doubled/lost | Flights doubled | Events/doubled/lost | Commits/lost | Late rows | Answers, 503, other"
    " | Unequal | Load |\n" + "|---" * 15 + "|"
)


def shown(values: Sequence[float]) -> str:
    """The 95th percentile of many, the worst of few."""
    if len(values) >= FOR_PERCENTILE:
        return f"p95 {percentile(values):.1f} s (worst {max(values):.1f})"
    return f"{max(values):.1f} s"


def percentile(values: Sequence[float]) -> float:
    """The smallest value that 95 % are not above."""
    return sorted(values)[math.ceil(len(values) * 0.95) - 1]


@dataclass
class Summary:
    """All faults of a class; ``skipped`` says how many the machine was too busy for."""

    name: str
    goal_s: float | None
    back_goal_s: float | None = BACK_S
    outcomes: list[Outcome] = field(default_factory=list)
    skipped: int = 0

    @property
    def missed(self) -> list[str]:
        """The goals that were not kept, and what had to be nothing."""
        if not self.outcomes:
            return []
        gaps = [one.gap_s for one in self.outcomes]
        gap_s = percentile(gaps) if len(gaps) >= FOR_PERCENTILE else max(gaps)
        missed = [f"{self.name}: {words}" for one in self.outcomes for words in one.broken_promises]
        if self.goal_s is not None and gap_s > self.goal_s:
            missed.append(f"{self.name}: the gap of the picture is {gap_s:.1f} s, the goal {self.goal_s:g} s")
        back_s = max(one.back_s for one in self.outcomes)
        if self.back_goal_s is not None and back_s > self.back_goal_s:
            missed.append(f"{self.name}: a subscriber is back after {back_s:.1f} s, the goal is {self.back_goal_s:g} s")
        return missed

    def __str__(self) -> str:
        if not self.outcomes:
            return f"| {self.name} | 0, {self.skipped} skipped |" + " |" * 13
        every = self.outcomes

        def total(name: str) -> int:
            return sum(getattr(one, name) for one in every)

        answers: Counter[str] = sum((one.answers for one in every), Counter())
        times = f"{len(every)}" + (f", {self.skipped} skipped" if self.skipped else "")
        broken, back = total("broken"), shown([one.back_s for one in every])
        cells = [
            self.name, times, shown([one.gap_s for one in every]),
            "-" if self.goal_s is None else f"{self.goal_s:g} s",
            shown([one.longest_s for one in every]), f"{back} ({broken} breaks)" if broken else "no break",
            shown([one.well_after_s for one in every]),
            f"{total('alerts')}/{total('alerts_doubled')}/{total('alerts_lost')}",
            f"{total('flights_doubled')}", f"{total('events')}/{total('events_doubled')}/{total('events_lost')}",
            f"{total('commits')}/{total('commits_lost')}", f"{total('late_rows')}",
            f"{sum(answers.values())}, {answers['503']}, {sum(len(one.other_answers) for one in every)}",
            f"{total('unequal')}", f"{min(one.load for one in every):.1f} to {max(one.load for one in every):.1f}",
        ]  # fmt: skip
        return f"| {' | '.join(cells)} |"
