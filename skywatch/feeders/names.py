"""Names of feeders in the picture: ``feeder-`` and the id of the record, or ``anonymous-`` and a number."""

from __future__ import annotations

import re

# The kind of thing that a feeder is, in the audit log and where others refer to one by its name.
FEEDER = "feeder"
_ANONYMOUS = re.compile(r"anonymous-[0-9]+", re.ASCII)
_NAME = re.compile(r"feeder-([1-9][0-9]{0,17})", re.ASCII)


def feeder_id_of(receiver: str) -> int | None:
    """The id of the feeder that a receiver of the picture is; None for other receivers."""
    match = _NAME.fullmatch(receiver)
    return int(match[1]) if match else None


def is_anonymous(receiver: str) -> bool:
    """Whether a receiver of the picture is a feeder without a record."""
    return _ANONYMOUS.fullmatch(receiver) is not None
