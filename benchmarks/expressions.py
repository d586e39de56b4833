"""Regular expressions of users: the dearest compilation, the dearest rule, and what stored rules take in the tracker.

Processor time, and resident memory of a process of its own for each set of stored rules.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from skywatch.alerts.conditions import budget
from skywatch.alerts.conditions.tree import parse
from skywatch.alerts.engine.engine import RuleSet
from skywatch.alerts.engine.rule import Rule
from skywatch.alerts.models import AlertRule
from skywatch.alerts.tracking.parsing import RuleParser
from skywatch.core.text import expressions

RULES = 500
CALLSIGNS = 15_000
# Texts that are dear to parse, to write out or to compile, within the limits of one expression.
DEAREST: dict[str, str] = {
    "classes of Unicode": r"\PL" * 4 + "x" * 488,
    "ranges": "[^À-ỿ]" * 83,
    "repetitions": "x{0,999}",
    "repetitions of repetitions": "(?:[^a]{31}){31}" * 16,
    "repetitions of classes": r"(?:\PL{31}){31}" * 4,
    "repetitions of ranges": "(?:[À-ỿ]|[Ѐ-￿]){0,499}" * 2,
    "reported": r"(\pL\pN){29}N",
}


def compilation_ms(text: str) -> tuple[float, str]:
    """Processor time of one compilation, the least of three, and what came of it."""
    least = float("inf")
    for _ in range(3):
        outcome = "compiled"
        began = time.thread_time()
        try:
            expressions.check(text)
            expressions._compile(text, ignores_case=True)
        except expressions.ExpressionFault as fault:
            outcome = str(fault)[:50]
        least = min(least, time.thread_time() - began)
    return 1000 * least, outcome


def _conditions(texts: list[str]) -> dict[str, Any]:
    return {"any": [{"field": "flight", "op": "matches", "value": text} for text in texts]}


def older(number: int) -> list[str]:
    """A rule of a version without budgets."""
    return [rf"(\pL\pN){{29}}N{number}A{i}" for i in range(100)]


def largest(number: int) -> list[str]:
    """Expressions of the most memory for their text."""
    return [rf"{number}A{i}\pL\pL\pL\pL" for i in range(budget.RULE_EXPRESSIONS)]


def ordinary(number: int) -> list[str]:
    """An expression as people write it."""
    return [rf"^(SWR|EDW{number})[0-9]+[A-Z]?$"]


def identical(number: int) -> list[str]:
    """The same ones in every rule."""
    return largest(0)


SETS: dict[str, Callable[[int], list[str]]] = {
    "100 reported expressions each, of an older version": older,
    "20 expressions each, of the most memory": largest,
    "1 ordinary expression each": ordinary,
    "the same 20 expressions in all": identical,
}


def _resident_kb() -> int:
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


def _load(name: str, count: int, callsigns: int, result: Any) -> None:
    rows = [
        AlertRule(id=number, revision=1, user_id=1, conditions=_conditions(SETS[name](number)))
        for number in range(1, count + 1)
    ]
    texts = [f"SWR{number}" for number in range(callsigns)]
    before_kb, began = _resident_kb(), time.process_time()
    parsed = RuleParser().parse(rows)
    rules = RuleSet(tuple(Rule(row.id, 1, one.node) for row in rows if (one := parsed[row.id, 1]).node is not None))
    took_s = time.process_time() - began
    compiled_kb = _resident_kb() - before_kb
    distinct = {test.value for rule in rules.rules for test in getattr(rule.node, "parts", (rule.node,))}
    for expression in distinct:
        for text in texts[:: max(1, len(distinct) * len(texts) // 1_000_000)]:
            expression.matches(text)
    result.put((len(rules.rules), len(distinct), took_s, compiled_kb, _resident_kb() - before_kb))


def main() -> None:
    """Print the figures."""
    for name, text in DEAREST.items():
        took_ms, outcome = compilation_ms(text)
        print(f"{name} ({len(text)} characters): {took_ms:.2f} ms, {outcome}")
    unit = "[^À-ỿ]" * 17 + r"\PL|" * 4
    began = time.thread_time()
    faults = parse(_conditions([f"{unit}{i}" for i in range(budget.RULE_EXPRESSIONS)]))[1]
    print(f"the dearest rule: {1000 * (time.thread_time() - began):.0f} ms, {len(faults)} faults")
    context = multiprocessing.get_context("spawn")
    for name in SETS:
        result = context.SimpleQueue()
        process = context.Process(target=_load, args=(name, RULES, CALLSIGNS, result))
        process.start()
        in_force, distinct, took_s, compiled_kb, matched_kb = result.get()
        process.join()
        print(
            f"{RULES} rules, {name}: {in_force} in force, {distinct} expressions, {took_s:.2f} s;"
            f" {compiled_kb / 1024:.1f} MB, {matched_kb / 1024:.1f} MB once they have matched"
        )


if __name__ == "__main__":
    main()
