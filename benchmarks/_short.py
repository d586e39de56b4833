"""The short form of every benchmark: the same code over little, to find out whether it still runs.

``SHORT`` gives for each what it replaces in its modules and the arguments of its ``main``. The figures it prints mean
nothing. Each runs in a process of its own, forked from one that has imported what all need: the imports take longer
than most of the short forms.
"""

from __future__ import annotations

import gc
import importlib
import multiprocessing
import os
import sys
import tempfile
from dataclasses import dataclass
from typing import Any

SQLITE = ["--database", "sqlite"]
# benchmark -> (constants, written as ``module.NAME``; arguments)
SHORT: dict[str, tuple[dict[str, Any], list[str] | None]] = {
    "archive": ({"archive.AIRCRAFT": 10, "archive.FLOWN_S": 600, "archive.COPIES": 2, "archive.ROUNDS": 1,
                 "_archive_month.DAYS": 2, "_archive_month.ROUNDS": 1}, None),
    # Judged, too: over little, each endpoint's dearest request costs no more than over much.
    "endpoint_costs": ({"endpoint_costs.AIRCRAFT": 300, "endpoint_costs.ROWS": 200, "endpoint_costs.KNOWN": 300,
                        "endpoint_costs.FLOWN": 4, "endpoint_costs.IMPORTED": 2_000, "endpoint_costs.SOUNDS_S": 5,
                        # Requests go back 14 hours.
                        "endpoint_costs.MAX_BODIES": 1, "_endpoint_costs.past.HOURS": 16,
                        "_endpoint_costs.measuring.QUICK_PART": 0.5},
                       None),
    "feeders": ({"feeders.FEEDERS": 6, "feeders.HEARERS": 3, "feeders.FRAMES_S": 20, "feeders.SECONDS": 1,
                 "feeders.RATIO_FEEDERS": 6, "feeders.RATIO_SECONDS": 1, "feeders.RATIOS": (1, 3),
                 "feeders.BATCH_FEEDERS": (3,),
                 "feeders.BATCH_FRAMES": 4, "feeders.BATCH_ROUNDS": 4, "feeders.SOCKET_FEEDERS": 3,
                 "feeders.SOCKET_SECONDS": 1.5, "_lies.FLIGHTS": 3, "_lies.HALF_SECONDS": 8,
                 "_lies.PLACES": ((0, 1, 2),), "_lies.MANY": 12, "_lies.COPIES": 4}, []),
    "history": ({"history.AIRCRAFT": 20, "history.ROW_SAMPLE": 1000, "history.FLOWN": 20_000, "history.SKY": 50,
                 "_history_queries.ROUNDS": 1, "_history_queries.LONG_ROUNDS": 1},
                [*SQLITE, "--positions", "20000", "--sky-seconds", "2"]),
    "memory": ({"_installed.WITH_WHEEL": False, "memory.AIRCRAFT": (5,), "memory.MINUTES": 0.1, "memory.STAGES_S": 0.1,
                "memory.ALONE": ()}, None),
    "patterns": ({"patterns.SKY": 50, "patterns.WARM_TICKS": 5, "patterns.TICKS": 2, "patterns.PEER_TICKS": 1,
                  "_pattern_corpora.RECORDED_OF_EACH": 1}, ["--drawn", "1"]),
    "raw_receivers": ({"raw_receivers.AIRCRAFT": 5, "raw_receivers.SECONDS": 1, "raw_receivers.SETTLE_S": 0.1,
                       "raw_receivers.IDLE_S": 0.1, "raw_receivers.ANSWER_S": 1.5}, None),
    "realtime": ({"realtime.SHOWN": ("by_polling", "idle"), "realtime.IDLE": 20, "_realtime_polling.CLIENTS": 5,
                  "_realtime_polling.AIRCRAFT": 5, "_realtime_polling.SECONDS": 2.0}, None),
    "rest": ({"rest.AIRCRAFT": 5, "rest.CONNECTIONS": 2, "rest.SECONDS": 0.1, "rest.ROUNDS": 1,
              "rest.WARM_UP_S": 0.1}, None),
    "start": ({"_installed.WITH_WHEEL": False, "start.AIRCRAFT": 5, "start.ROUNDS": 1, "start.WARM_UPS": 0}, None),
    "tick": ({"tick.COUNTS": (20,), "tick.TICKS": 2, "tick.WARM_UP_TICKS": 1, "tick.SERVICE_AIRCRAFT": 5,
              "tick.MEMORY_AFTER_S": 0.5}, None),
    "web": ({"web.BROWSER_START_S": 0.0, "web.SLOWED": 1, "web.BYTES_PER_S": 10_000_000, "web.LATENCY_MS": 0,
             "web.FIRST_AIRCRAFT": 5, "web.MAIN_THREAD_MS": {}, "web.MEMORY_AIRCRAFT": 5, "web.PICTURES": 6}, None),
    "whole": ({"whole.SUBSCRIBERS": 5, "whole.COUNTS": (50,), "whole.SHOWN": ("one",)},
              ["--seconds", "2", "--warm-up", "0.5"]),
}  # fmt: skip
# Short forms that make a database on the PostgreSQL server of the tests.
NEED_POSTGRESQL: set[str] = set()


# The longest takes a tenth of this on two busy cores.
MAX_S = 900.0
# What nearly all of them import.
PRELOADED = ["benchmarks._history_queries", "skywatch.features", "webtest"]
# As the tests have it: the collector would look through an application's objects again and again.
GARBAGE_THRESHOLDS = (100_000, 20, 100)


@dataclass(frozen=True)
class Outcome:
    """Whether a short form ran to its end, and what it printed."""

    is_complete: bool
    output: str


def run(name: str) -> Outcome:
    """Run the short form of a benchmark in a process of its own."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    with tempfile.NamedTemporaryFile("r", errors="replace") as output:
        process = context.Process(target=_run, args=(name, output.name))
        process.start()
        process.join(MAX_S)
        if process.is_alive():
            process.kill()
            process.join()
            return Outcome(False, f"{output.read()}\nit did not end in {MAX_S:g} s")
        return Outcome(process.exitcode == 0, output.read())


def _run(name: str, output: str) -> None:
    # What it starts writes there, too.
    descriptor = os.open(output, os.O_WRONLY | os.O_APPEND)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    sys.argv = [name]
    constants, arguments = SHORT[name]
    for path, value in constants.items():
        module_name, _, constant = path.rpartition(".")
        module = importlib.import_module(f"benchmarks.{module_name}")
        getattr(module, constant)
        setattr(module, constant, value)
    main = importlib.import_module(f"benchmarks.{name}").main
    main() if arguments is None else main(arguments)
