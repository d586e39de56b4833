"""CSV (RFC 4180) that a spreadsheet opens without running what is in it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from skywatch.core.clock import to_iso

# What a spreadsheet would take for a formula when a cell begins with it.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless(text: str) -> str:
    """A text that comes from anybody, as a cell: a quote keeps a spreadsheet from running it."""
    return f"'{text}" if text.startswith(FORMULA) else text


def csv_rows(rows: Iterable[Sequence[Any]]) -> bytes:
    """Rows as lines of CSV in UTF-8; None is an empty cell, times are ISO 8601 in UTC, and texts are made harmless."""
    lines = io.StringIO()
    csv.writer(lines).writerows([_cell(value) for value in row] for row in rows)
    return lines.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return to_iso(value) if isinstance(value, datetime) else value
