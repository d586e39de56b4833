"""The table of processor time by part, made of two readings of the ledgers; it adds up to the processes' own total."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

# Parts below this share of the whole are one row together.
SMALL = 0.004
# Kinds of threads by what they are for; others have their own name.
NAMES = {
    "waitress": "api",
    "MainThread": "api: sockets, main thread",
    "asyncio": "pool of threads",
    "ledger": "the ledger itself",
    "without Python": "threads of libraries",
}
# Those that do several things, which the ledger tells apart.
SPLIT = ("loop", "asyncio", "waitress")
Parts = Counter[str]


def parts_between(before: dict[str, Any], after: dict[str, Any]) -> Parts:
    """Processor seconds of a process by part between two readings; ``else`` is what no thread or part has.

    In the threads of SPLIT the parts are those of the ledger, and ``itself`` is what lies between them.
    """
    spent: Parts = Counter()
    for thread, until_s in after["threads"].items():
        took = until_s - before["threads"].get(thread, 0.0)
        parts = _parts_of(before, after, thread)
        name = NAMES.get(thread, thread)
        if not parts or thread not in SPLIT:
            spent[name] += took
            continue
        for part, seconds in parts.items():
            spent[_label(thread, part)] += seconds
        spent[f"{name}: itself"] += took - sum(parts.values())
    spent["else"] = after["process_s"] - before["process_s"] - sum(spent.values())
    return spent


def _parts_of(before: dict[str, Any], after: dict[str, Any], thread: str) -> dict[str, float]:
    earlier = before["parts"].get(thread, {})
    return {part: s - earlier.get(part, 0.0) for part, s in after["parts"].get(thread, {}).items()}


def _label(thread: str, part: str) -> str:
    if thread == "waitress":
        return part if part.startswith("api") else f"api: {part}"
    if thread == "loop":
        return part if ": " in part or part.startswith(("monitor ", "garbage")) else f"loop: {part}"
    return f"{NAMES.get(thread, thread)}: {part}"


def server_s(pid: int) -> float:
    """Processor seconds of a server and of the processes that it has started, those that have ended included."""
    ticks = 0
    for process in (pid, *_children(pid)):
        try:
            words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended, and is counted with its parent
        ticks += int(words[11]) + int(words[12])
        if process == pid:
            ticks += int(words[13]) + int(words[14])
    return ticks / os.sysconf("SC_CLK_TCK")


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def print_table(results: list[dict[str, Any]]) -> None:
    """One column for each measurement, in milliseconds of processor time a second."""
    columns = [f"{result['aircraft']:,}" for result in results]
    whole = [sum(result["parts"].values()) for result in results]
    everything = {part for result in results for part in result["parts"]}
    shown = [
        part
        for part in everything
        if part != "else" and any(r["parts"].get(part, 0) > SMALL * w for r, w in zip(results, whole, strict=True))
    ]
    shown.sort(key=lambda part: -results[-1]["parts"].get(part, 0.0))
    print(f"  {'ms of processor time a second':<44}" + "".join(f"{column:>10}" for column in columns))
    for part in shown:
        print(f"  {part:<44}" + "".join(f"{result['parts'].get(part, 0.0):>10.1f}" for result in results))
    small = [sum(s for p, s in r["parts"].items() if p not in shown and p != "else") for r in results]
    print(f"  {f'{len(everything) - len(shown) - 1} small parts':<44}" + "".join(f"{value:>10.1f}" for value in small))
    print(f"  {'else':<44}" + "".join(f"{result['parts']['else']:>10.1f}" for result in results))
    print(f"  {'together':<44}" + "".join(f"{value:>10.1f}" for value in whole))
    _print_rows(results)


def _print_rows(results: list[dict[str, Any]]) -> None:
    rows: list[tuple[str, list[str]]] = [
        ("tick to client, median (ms)", [f"{r['p50_ms']:.0f}" for r in results]),
        ("tick to client, p95 (ms)", [f"{r['p95_ms']:.0f}" for r in results]),
        ("ticks of seconds", [f"{r['ticks']}/{r['seconds']:.0f}" for r in results]),
        ("ticks missed by subscribers", [str(r["missed"]) for r in results]),
        ("connections lost", [str(r["lost"]) for r in results]),
        ("requests, p95 (ms)", [f"{r['requests_p95_ms']:.0f}" for r in results]),
        ("requests not answered as they should", [str(sum(r["bad"].values())) for r in results]),
        ("clients' processor time (ms/s)", [f"{r['clients_ms']:.0f}" for r in results]),
        ("the world's processor time (ms/s)", [f"{r['world_ms']:.0f}" for r in results]),
        ("load of the machine", [f"{r['load']:.1f}" for r in results]),
    ]
    for name, values in rows:
        print(f"  {name:<44}" + "".join(f"{value:>10}" for value in values))
    for result in results:
        for minute, memory in result["memory"].items():
            amounts = ", ".join(f"{name} {mb[0]:.0f} ({mb[1]:.0f})" for name, mb in memory.items())
            print(f"  {result['aircraft']:,} aircraft, memory after {minute} min, MB (not of files): {amounts}")
    for result in results:
        events = ", ".join(f"{name} {count:,}" for name, count in sorted(result["events"].items()))
        print(f"  {result['aircraft']:,} aircraft, events: {events}")
        wrong = {**result["bad"], **result.get("closed", {})}
        print(f"  {result['aircraft']:,} aircraft, answers: {result['answers']} {wrong or ''}")
