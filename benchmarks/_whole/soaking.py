"""Hours of the whole service: a row every few minutes, and what was missed, lost and refused in the end."""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import Any

from benchmarks._whole import table
from benchmarks._whole.installation import Whole

ROW = "{:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7} {:>9} {:>8} {:>6} {:>6} {:>6} {:>6}"
HEAD = ("min", "RSS MB", "anon MB", "ms/s", "p95 ms", "ticks", "missed", "requests", "p95 ms", "bad", "lost", "log",
        "load")  # fmt: skip


def soak(whole: Whole, minutes: float, every_min: float) -> Counter[str]:
    """Print a row every so often; what was missed, lost and answered wrongly in all."""
    print(ROW.format(*HEAD), flush=True)
    began, total, ticks, longest = time.monotonic(), Counter[str](), 0, 0.0
    while (left_s := began + 60 * minutes - time.monotonic()) > 0:
        whole.pipe.send("begin")
        before = whole.figures()
        time.sleep(min(60 * every_min, left_s))
        after, seen = whole.figures(), whole.ask("report")
        bad = Counter(seen["bad"])
        total += Counter({"missed": seen["missed"], "lost": seen["lost"], "bad": bad.total()})
        total += Counter({"requests": seen["requests"], "updates": seen["updates"]})
        ticks, longest = ticks + seen["ticks"], longest + seen["seconds"]
        print(
            ROW.format(*_row(began, before, after, seen, len(whole.problems()))),
            bad or "",
            seen["closed"] or "",
            flush=True,
        )
    print(f"{ticks} ticks in {longest:.0f} s; {dict(total)}")
    print(*whole.problems()[:40], sep="\n")
    return total


def _row(
    began: float, before: dict[str, Any], after: dict[str, Any], seen: dict[str, Any], problems: int
) -> tuple[Any, ...]:
    spent = [sum(table.parts_between(before[n], after[n]).values()) / (after[n]["at"] - before[n]["at"]) for n in after]
    return (
        f"{(time.monotonic() - began) / 60:.1f}",
        f"{sum(process['rss_mb'] for process in after.values()):.0f}",
        f"{sum(process['anon_mb'] for process in after.values()):.0f}",
        f"{1000 * sum(spent):.0f}",
        f"{seen['p95_ms']:.0f}",
        f"{seen['ticks']}",
        f"{seen['missed']}",
        f"{seen['requests']}",
        f"{seen['requests_p95_ms']:.0f}",
        f"{sum(seen['bad'].values())}",
        f"{seen['lost']}",
        f"{problems}",
        f"{os.getloadavg()[0]:.1f}",
    )
