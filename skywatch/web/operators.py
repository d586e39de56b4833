"""Reads the installation's own names of operators: a file of ``code,name`` lines, the ICAO designator first."""

from __future__ import annotations

import csv
import re
from pathlib import Path

MAX_BYTES = 2_000_000
MAX_NAMES = 20_000
MAX_NAME = 80
_DESIGNATOR = re.compile(r"[A-Z]{3}")


def read_operators(path: str) -> dict[str, str]:
    """Names by designator, in upper case; empty lines and those that begin with ``#`` are skipped.

    Raises ValueError, whose text is one line, for a file that cannot be read or a line that is not of the form.
    """
    names: dict[str, str] = {}
    for number, row in enumerate(csv.reader(_text(path).splitlines()), 1):
        if not any(cell.strip() for cell in row) or row[0].lstrip().startswith("#"):
            continue
        code, name = (row[0].strip().upper(), row[1].strip()) if len(row) == 2 else ("", "")
        if not _DESIGNATOR.fullmatch(code) or not 0 < len(name) <= MAX_NAME or not name.isprintable():
            raise ValueError(f"line {number} of {path} must be a designator of three letters, a comma and a name")
        names[code] = name
        if len(names) > MAX_NAMES:
            raise ValueError(f"{path} has more than {MAX_NAMES} names")
    return names


def _text(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            body = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from None
    if len(body) > MAX_BYTES:
        raise ValueError(f"{path} is larger than {MAX_BYTES} bytes")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text") from None
