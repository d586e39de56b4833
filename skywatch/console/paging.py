"""Lists over several pages."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from skywatch.http.request import Request

PAGE_SIZE = 50
# Further matches are not counted: a page must not take the longer the more there is.
MOST_COUNTED = 10_000
_OWN = ("offset", "cursor", "after", "before", "limit")


@dataclass(frozen=True)
class Pages:
    """What stands below a page of a list: how much there is, and where the pages around it are."""

    text: str
    previous: str | None = None
    next: str | None = None


def turn_pages(request: Request, offset: int, count: int) -> Pages:
    """The pages around the one that begins after ``offset`` of ``count`` entries."""
    first, last = min(offset + 1, count), min(offset + PAGE_SIZE, count)
    return Pages(
        f"{first} to {last} of {count:,}" if count else "Nothing found",
        previous=address(request, offset=max(0, offset - PAGE_SIZE)) if offset > 0 else None,
        next=address(request, offset=offset + PAGE_SIZE) if offset + PAGE_SIZE < count else None,
    )


def cursor_pages(request: Request, count: int, *, before: str | None, after: str | None) -> Pages:
    """The pages around one that is found by its first and last entry: ``before`` goes back from the first entry,
    ``after`` on from the last one, None where nothing is there. ``count`` is at most one more than is counted."""
    more = count > MOST_COUNTED
    return Pages(
        f"{'more than ' if more else ''}{min(count, MOST_COUNTED):,} found" if count else "Nothing found",
        previous=address(request, before=before) if before is not None else None,
        next=address(request, after=after) if after is not None else None,
    )


def address(request: Request, **changes: str | int) -> str:
    """The present page with other paging parameters."""
    kept = [(name, value) for name, value in request.GET.items() if value and name not in _OWN]
    return f"{request.path}?{urlencode([*kept, *changes.items()])}"
