"""What receivers are called where everybody who may see aircraft sees it."""

from __future__ import annotations

import re
from functools import lru_cache

# The receiver that stands for feeders: the picture names none of them, for what one hears shows where it is.
FEEDERS = "feeders"
_FEEDER = re.compile(r"(?:feeder|anonymous)-[0-9]+", re.ASCII)


@lru_cache(maxsize=16_384)
def shown_receiver(name: str) -> str:
    """The name of a receiver of the picture for everybody: of a single feeder that of all of them."""
    return FEEDERS if _FEEDER.fullmatch(name) else name
