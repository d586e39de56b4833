"""Lists over several pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

import colander

from skywatch.console.texts.language import translate
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import QueryString, Schema, node

PAGE_SIZE = 50
# Further matches are not counted: a page must not take the longer the more there is.
MAX_COUNTED = 10_000
_OWN = ("offset", "cursor", "after", "before", "limit")


T = TypeVar("T")


class CursorPosition(Schema):
    """A position in a list that goes by cursor: after or before an entry."""

    after = node(QueryString(), validator=colander.Length(1, 254), missing=colander.drop)
    before = node(QueryString(), validator=colander.Length(1, 254), missing=colander.drop)


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
        translate(request, "{first} to {last} of {count}", first=first, last=last, count=count)
        if count
        else translate(request, "Nothing found"),
        previous=address(request, offset=max(0, offset - PAGE_SIZE)) if offset > 0 else None,
        next=address(request, offset=offset + PAGE_SIZE) if offset + PAGE_SIZE < count else None,
    )


def cut(
    request: Request, rows: Sequence[T], query: Mapping[str, Any], count: int, name: Callable[[T], str | int]
) -> tuple[Sequence[T], Pages]:
    """A page of a list that goes by cursor, and the pages around it.

    ``rows`` are up to ``PAGE_SIZE + 1`` entries from the position of ``query`` (a ``CursorPosition``); the one too many
    says that there are more. ``name`` is what an entry is found by, ``count`` at most ``MAX_COUNTED + 1``.
    """
    backwards, is_more = "before" in query, len(rows) > PAGE_SIZE
    shown = rows[-PAGE_SIZE:] if backwards else rows[:PAGE_SIZE]
    has_previous = is_more if backwards else "after" in query
    has_next = backwards or is_more
    if count > MAX_COUNTED:
        text = translate(request, "more than {most} found", most=MAX_COUNTED)
    else:
        text = translate(request, "{n} found", n=count)
    pages = Pages(
        text if count else translate(request, "Nothing found"),
        previous=address(request, before=name(shown[0])) if shown and has_previous else None,
        next=address(request, after=name(shown[-1])) if shown and has_next else None,
    )
    return shown, pages


def address(request: Request, **changes: str | int) -> str:
    """The present page with other paging parameters."""
    parameters = [(name, value) for name, value in request.GET.items() if value and name not in _OWN]
    return f"{request.path}?{urlencode([*parameters, *changes.items()])}"
