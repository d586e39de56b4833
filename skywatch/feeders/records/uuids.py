"""UUIDs of feeders: how they are written, compared and stored."""

from __future__ import annotations

import re
import uuid

from skywatch.sentences import sentence

# Digits of a UUID, and how many of them are stored and shown.
DIGITS, SHOWN = 32, 8
_WRITTEN = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.ASCII)


def new_digits() -> str:
    """The 32 digits of a new random UUID."""
    return uuid.uuid4().hex


def digits_of(text: str) -> str:
    """The 32 lower-case digits of a UUID as people write it; raises ValueError."""
    lower = text.strip().lower()
    if _WRITTEN.fullmatch(lower) is None:
        raise ValueError(
            sentence(
                "feeders.uuid", "must be a UUID of 32 hexadecimal digits, such as 0e48a1ba-d7d0-4a1b-a2b1-4b87d7d0a1ba"
            )
        )
    digits = lower.replace("-", "")
    if len(set(digits)) < 4:
        raise ValueError(sentence("feeders.uuid_random", "must be a random UUID: anybody could guess this one"))
    return digits


def hyphenated(digits: str) -> str:
    """The usual form of a UUID."""
    return str(uuid.UUID(digits))
