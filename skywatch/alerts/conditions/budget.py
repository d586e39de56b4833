"""The budgets of regular expressions: of one rule, and of all rules of a user.

They are checked on the JSON document, before anything is compiled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from skywatch.sentences import sentence

RULE_EXPRESSIONS, RULE_BYTES = 20, 4_096
# Of the enabled rules of a user, from the oldest on: text, and estimated memory once they are compiled.
USER_BYTES, USER_MEMORY_BYTES = 32_768, 8 << 20


def written_tests(document: Any) -> Iterator[Mapping[str, Any]]:
    """The tests of a JSON document, which may have faults."""
    pending = [document]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(node)
        elif isinstance(node, dict):
            branches = [node[branch] for branch in ("all", "any", "not") if branch in node]
            pending.extend(branches)
            if not branches:
                yield node


def texts_of(document: Any) -> list[str]:
    """The regular expressions of a JSON document."""
    return [
        test["value"]
        for test in written_tests(document)
        if test.get("op") == "matches" and isinstance(test.get("value"), str)
    ]


def bytes_of(texts: Iterable[str]) -> int:
    """The size of texts in UTF-8."""
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


def fault_of(texts: list[str]) -> str | None:
    """Why a rule with these expressions is refused, or None."""
    if len(texts) > RULE_EXPRESSIONS:
        return sentence(
            "alerts.too_many_matches",
            "holds {count} tests with matches; at most {most} are allowed",
            count=len(texts),
            most=RULE_EXPRESSIONS,
        )
    size = bytes_of(texts)
    if size > RULE_BYTES:
        return sentence(
            "alerts.expressions_too_large",
            "holds regular expressions of {size} bytes in all; at most {most} are allowed",
            size=size,
            most=RULE_BYTES,
        )
    return None
