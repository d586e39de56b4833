"""Writes the page docs/coverage.md from what `make coverage` measured: ``python docs/coverage.py REPORT.json``."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent / "coverage.md"
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"


def by_room(report: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Room -> (executed, all) statements and branches, from the JSON report of coverage.py."""
    covered: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for name, file in report["files"].items():
        parts = Path(name).parts
        room = parts[1] if len(parts) > 2 else "skywatch"
        summary = file["summary"]
        covered[room] += summary["covered_lines"] + summary.get("covered_branches", 0)
        total[room] += summary["num_statements"] + summary.get("num_branches", 0)
    return {room: (covered[room], total[room]) for room in sorted(total) if total[room]}


def percent(covered: int, total: int) -> str:
    return f"{100 * covered / total:.1f} %"


def measured(report: Mapping[str, Any]) -> str:
    """The measured part of the page; raises ValueError for a report of nothing."""
    rooms = by_room(report)
    if not rooms:
        raise ValueError("the report has no file of skywatch")
    covered = sum(one for one, _ in rooms.values())
    total = sum(all_of_it for _, all_of_it in rooms.values())
    day = datetime.fromisoformat(report["meta"]["timestamp"]).astimezone(UTC).date().isoformat()
    rows = [f"| `{room}` | {percent(*numbers)} | {numbers[1]:,} |" for room, numbers in rooms.items()]
    return "\n".join([
        f"**{percent(covered, total)}** of {total:,} statements and branches, measured on {day}.", "",
        "| Room | Executed | Statements and branches |", "|---|---|---|", *rows, "",
    ])  # fmt: skip


def rewritten(page: str, part: str) -> str:
    """The page with another measured part; raises ValueError where its marks are missing."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE.name} has lost the marks of its measured part")
    return f"{before}{BEGIN}{part}{END}{after}"


def main() -> None:
    report = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8"), measured(report)), encoding="utf-8")
    print(measured(report))


if __name__ == "__main__":
    main()
