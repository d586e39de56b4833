"""What receivers are called: feeders in the picture, and all where everybody who may see aircraft sees it."""

from __future__ import annotations

import re
from functools import lru_cache

# The receiver that stands for feeders: the picture names none of them, for what one hears shows where it is.
FEEDERS = "feeders"
# In the picture alone, what trusted feeders agree on.
TRUSTED_FEEDERS = "trusted-feeders"
_FEEDER = re.compile(rf"(?:feeder|anonymous)-[0-9]+|{TRUSTED_FEEDERS}", re.ASCII)


def feeder_receiver(number: int) -> str:
    """The receiver of the picture that a feeder is, by its id: negative for one without a record."""
    return f"feeder-{number}" if number > 0 else f"anonymous-{-number}"


@lru_cache(maxsize=16_384)
def shown_receiver(name: str) -> str:
    """The name of a receiver of the picture for everybody: of a single feeder that of all of them."""
    return FEEDERS if _FEEDER.fullmatch(name) else name
