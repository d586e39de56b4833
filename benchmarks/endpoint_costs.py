"""The processor time of each endpoint's dearest allowed request, as a multiple of a calibration loop of the same run.

The whole API in this process over a populated installation on SQLite. Every endpoint of the OpenAPI document needs an
entry; one without, or one that costs more than its limit, fails the benchmark.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

from benchmarks._endpoint_costs.bodies import with_large_bodies
from benchmarks._endpoint_costs.calibration import ALLOWED_MS, ALLOWED_RATIO, REFERENCE_MS, loop_ms
from benchmarks._endpoint_costs.entries import entries
from benchmarks._endpoint_costs.entry import Entries, Entry
from benchmarks._endpoint_costs.installation import Installation, Sizes, installation
from benchmarks._endpoint_costs.measuring import Cost, UnexpectedAnswerError, cost_of, is_allowed, prepare
from benchmarks._endpoint_costs.population import populate

AIRCRAFT, ROWS, KNOWN, FLOWN = 15_000, 20_000, 20_000, 200
# Rows of the largest import, and seconds of the longest recording.
IMPORTED, SOUNDS_S = 500_000, 599
# Ways to fill the largest body of an endpoint: all there are.
MAX_BODIES = 1_000


def main(arguments: list[str] | None = None) -> None:
    """Print the table; raises RuntimeError where an endpoint has no entry or costs too much."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a regular expression: only endpoints whose name it matches")
    parser.add_argument("--all", action="store_true", help="print every request, not only each endpoint's dearest")
    options = parser.parse_args([] if arguments is None else arguments)
    judge(entries(), options.only, show_all=options.all, is_whole=True)


def judge(known: Entries, only: str = "", *, show_all: bool = False, is_whole: bool = False) -> None:
    """Measure and print these entries; ``is_whole``: every endpoint needs one, and its largest bodies are added.

    Raises RuntimeError for endpoints without an entry, requests over their limit and answers that are not expected.
    """
    sizes = Sizes(AIRCRAFT, ROWS, KNOWN, FLOWN, IMPORTED, SOUNDS_S)
    with tempfile.TemporaryDirectory() as folder, installation(Path(folder), sizes) as made:
        if is_whole:
            missing, unknown = _compare(made, known)
            if missing or unknown:
                raise RuntimeError(f"endpoints without an entry: {missing}; entries without an endpoint: {unknown}")
            known = with_large_bodies(made, known, MAX_BODIES)
        populate(made, Path(folder))
        prepare()
        _print_head(sizes)
        wanted = {name: some for name, some in sorted(known.items(), key=_place) if re.search(only, name)}
        faults = [fault for name, some in wanted.items() for fault in _measure(made, name, some, show_all)]
    print("\n".join(faults))
    if faults:
        raise RuntimeError(f"{len(faults)} requests cost more than their limit, or were answered as was not expected")


def _compare(made: Installation, known: Entries) -> tuple[list[str], list[str]]:
    """Endpoints of the OpenAPI document without an entry, and entries without an endpoint."""
    paths = made.document()["paths"]
    there = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    return sorted(there - set(known)), sorted(set(known) - there)


def _place(item: tuple[str, list[Entry]]) -> tuple[bool, str, str]:
    """By path; imports come last, for those make room by deleting what others ask about."""
    method, _, path = item[0].partition(" ")
    return "/import/" in path, path, method


def _print_head(sizes: Sizes) -> None:
    print(
        f"{sizes.aircraft:,} aircraft, {sizes.rows:,} rows of each kind, {sizes.known:,} known aircraft and "
        f"airframes, a day of {sizes.flown:,} aircraft recorded; SQLite"
    )
    loop = min(loop_ms() for _ in range(20))
    print(
        f"the calibration loop takes {loop:.1f} ms here, {REFERENCE_MS:.1f} ms on the reference machine; allowed are "
        f"{ALLOWED_RATIO:.0f} loops, there {ALLOWED_MS:.0f} ms"
    )
    print(f"{'endpoint':78} {'dearest allowed request':58} {'ms':>8} {'loops':>7} {'limit':>7}")


def _measure(made: Installation, name: str, some: list[Entry], show_all: bool) -> list[str]:
    """Measure the entries of an endpoint, print the dearest by its limit, and return what is wrong."""
    method = name.partition(" ")[0]
    costs: list[tuple[Entry, Cost]] = []
    faults: list[str] = []
    for entry in some:
        try:
            costs.append((entry, cost_of(made, method, entry)))
        except UnexpectedAnswerError as error:
            faults.append(f"not as expected: {name}, {entry.what}: {error}")
    costs.sort(key=lambda pair: pair[1].reference_ms / pair[0].allowed_ms, reverse=True)
    for entry, cost in costs if show_all else costs[:1]:
        _print_line(name, entry, cost)
    return faults + [
        f"over its limit: {name}, {entry.what}: {cost.reference_ms:.0f} ms of {entry.allowed_ms:.0f}"
        for entry, cost in costs
        if not is_allowed(entry, cost)
    ]


def _print_line(name: str, entry: Entry, cost: Cost) -> None:
    limit = entry.allowed_ms / REFERENCE_MS
    remark = f"  {entry.reason}" if entry.reason else ""
    print(f"{name:78} {entry.what:58} {cost.ms:8.1f} {cost.ratio:7.2f} {limit:7.0f}{remark}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
