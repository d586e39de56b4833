"""Lists over several pages."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from skywatch.http.request import Request

PAGE_SIZE = 50


@dataclass(frozen=True)
class Pages:
    """Where a page of a list lies among the others; ``first`` and ``last`` count from one."""

    first: int
    last: int
    count: int
    previous: str | None
    next: str | None


def turn_pages(request: Request, offset: int, count: int) -> Pages:
    """The pages around the one that begins after ``offset`` entries."""
    return Pages(
        first=min(offset + 1, count),
        last=min(offset + PAGE_SIZE, count),
        count=count,
        previous=address(request, offset=max(0, offset - PAGE_SIZE)) if offset > 0 else None,
        next=address(request, offset=offset + PAGE_SIZE) if offset + PAGE_SIZE < count else None,
    )


def address(request: Request, **changes: int) -> str:
    """The present page with other paging parameters."""
    kept = [(name, value) for name, value in request.GET.items() if value and name not in ("offset", "cursor", "limit")]
    return f"{request.path}?{urlencode([*kept, *changes.items()])}"
