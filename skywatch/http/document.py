"""What a JSON document of a client's own making may hold, so that every database and every reader can keep it.

PostgreSQL's JSON knows no NUL, no lone surrogate and no infinity; JSON readers differ over whole numbers beyond 64
bits; and what is nested deeper than a stack is high would break whoever shows it later.
"""

from __future__ import annotations

import math
from typing import Any

MAXIMUM_DEPTH = 32


def fault_of(document: Any) -> str | None:
    """Why a parsed JSON document is not kept, in words for its sender, or None where it is good."""
    waiting = [(document, 1)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, dict | list):
            if depth > MAXIMUM_DEPTH:
                return f"must not be nested more than {MAXIMUM_DEPTH} deep"
            parts = [*value, *value.values()] if isinstance(value, dict) else value
            waiting.extend((part, depth + 1) for part in parts)
        elif isinstance(value, str):
            if any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value):
                return "must not hold NUL or half a character"
        elif isinstance(value, float):
            if not math.isfinite(value):
                return "must not hold a number too large for 64 bits"
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            return "must not hold a number too large for 64 bits"
    return None
