"""Numbers as programs write them: JSON's, or text."""

from __future__ import annotations

import math
from typing import Any

# What pads values: blanks, the @ of empty characters of Mode S, control characters.
PADDING = " @_\x7f" + "".join(map(chr, range(32)))
_LARGEST = 1e300


def number_of(value: Any) -> float:
    """A finite number, also one that is written as text; NaN for all else."""
    if isinstance(value, str):
        try:
            # Python's own numbers may have underscores and digits of other scripts.
            value = float(value) if value.isascii() and "_" not in value else math.nan
        except ValueError:
            stripped = value.strip(PADDING)
            return number_of(stripped) if stripped != value else math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    return float(value) if abs(value) < _LARGEST else math.nan
