"""Reads the installation's own names of operators: a file of ``code,name`` lines, the ICAO designator first.

A file that is missing stops the start. What is in it never does: what is not of the form is left out and named in the
log.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path

from skywatch.core.text.delimited import rows
from skywatch.core.text.names import all_shown
from skywatch.settings import SettingsError

MAX_BYTES = 2_000_000
MAX_NAMES = 20_000
MAX_NAME = 80
_DESIGNATOR = re.compile(r"[A-Z]{3}")
log = logging.getLogger(__name__)


def read_operators(path: str) -> dict[str, str]:
    """Names by designator, in upper case; empty lines and those that begin with ``#`` are skipped.

    Raises SettingsError for a file that cannot be read.
    """
    names: dict[str, str] = {}
    refused: list[int] = []
    for number, row in rows(_text(path).splitlines()):
        if row is not None and (not any(cell.strip() for cell in row) or row[0].lstrip().startswith("#")):
            continue
        code, name = (row[0].strip().upper(), row[1].strip()) if row is not None and len(row) == 2 else ("", "")
        if not _DESIGNATOR.fullmatch(code) or not 0 < len(name) <= MAX_NAME or not all_shown(name):
            refused.append(number)
        elif len(names) < MAX_NAMES or code in names:
            names[code] = name
        else:
            log.warning("operator_names: %s has more than %d names; what follows is left out", path, MAX_NAMES)
            break
    if refused:
        more = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
        form = "a designator of three letters, a comma and a name"
        log.warning("operator_names: line %d%s of %s left out: must be %s", refused[0], more, path, form)
    return names


def _text(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            body = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SettingsError("operator_names", f"cannot read {path}: {error.strerror}") from None
    if len(body) > MAX_BYTES:
        log.warning("operator_names: %s is larger than %d bytes; what follows is left out", path, MAX_BYTES)
        body = body[:MAX_BYTES].rpartition(b"\n")[0]
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return body.decode("latin-1")
