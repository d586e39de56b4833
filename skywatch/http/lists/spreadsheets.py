"""CSV (RFC 4180) that a spreadsheet opens without running what is in it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

# What a spreadsheet would take for a formula when a cell begins with it.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless(text: str) -> str:
    """A text that comes from anybody, as a cell: a quote keeps a spreadsheet from running it."""
    return f"'{text}" if text.startswith(FORMULA) else text


def csv_rows(rows: Iterable[Sequence[Any]]) -> bytes:
    """Rows as lines of CSV in UTF-8; None is an empty cell, and texts are made harmless."""
    lines = io.StringIO()
    csv.writer(lines).writerows([harmless(value) if isinstance(value, str) else value for value in row] for row in rows)
    return lines.getvalue().encode()
