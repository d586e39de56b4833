"""Names of feeders in the picture: ``feeder-`` and the id of the record."""

from __future__ import annotations

import re

_NAME = re.compile(r"feeder-([1-9][0-9]{0,17})", re.ASCII)


def feeder_id_of(receiver: str) -> int | None:
    """The id of the feeder that a receiver of the picture is; None for other receivers."""
    match = _NAME.fullmatch(receiver)
    return int(match[1]) if match else None
