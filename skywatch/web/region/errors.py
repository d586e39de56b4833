"""Why a map of the region cannot be fetched."""

from __future__ import annotations


class RegionFailed(Exception):
    """``reason`` is a sentence for people; ``is_passing`` says that the next try may succeed."""

    def __init__(self, reason: str, *, is_passing: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_passing = is_passing


class NotThere(RegionFailed):
    """There is no archive at the address."""


class SourceChanged(RegionFailed):
    """The archive is another one than the one whose size was said."""


class Stopped(Exception):
    """Somebody stopped it, or asked for another map."""
