"""Restrictions on JSON documents from clients, so that every database can store and every client can parse them.

PostgreSQL's JSON allows no NUL, lone surrogate or infinity; JSON parsers differ in integers beyond 64 bits; and deep
nesting would overflow the stack of later readers.
"""

from __future__ import annotations

import math
import re
from typing import Any

from skywatch.sentences import sentence

MAX_DEPTH = 32
_UNFIT = re.compile("[\\x00\\ud800-\\udfff]")


def fault_of(document: Any) -> str | None:
    """Why a parsed JSON document is refused, as a text for the client, or None if it is valid."""
    pending = [(document, 1)]
    while pending:
        value, depth = pending.pop()
        if isinstance(value, dict | list):
            if depth > MAX_DEPTH:
                return sentence("field.nesting", "must not be nested more than {most} deep", most=MAX_DEPTH)
            parts = [*value, *value.values()] if isinstance(value, dict) else value
            pending.extend((part, depth + 1) for part in parts)
        elif isinstance(value, str):
            if _UNFIT.search(value):
                return sentence("field.nul_or_surrogate", "must not contain NUL or a lone surrogate")
        elif isinstance(value, float):
            if not math.isfinite(value):
                return sentence("field.number_64_bits", "must not contain a number that exceeds 64 bits")
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            return sentence("field.number_64_bits", "must not contain a number that exceeds 64 bits")
    return None
