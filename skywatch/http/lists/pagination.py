"""Lists: ``limit`` and ``offset``, and the links to the next and the previous page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import colander

from skywatch.http.requests.links import link_base
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import (
    JsonString,
    QueryInteger,
    Schema,
    integer_node,
    node,
    nullable_node,
)

DEFAULT_LIMIT = 100
MAX_LIMIT = 1000


class PageQuery(Schema):
    """The paging parameters of every list."""

    limit = node(QueryInteger(), "Entries on a page.", missing=DEFAULT_LIMIT, validator=colander.Range(1, MAX_LIMIT))
    offset = node(QueryInteger(), "Entries to skip.", missing=0, validator=colander.Range(0, 10_000_000))


class PageLinks(Schema):
    """The members of every list in addition to its entries."""

    count = integer_node("All entries that match.")
    next = nullable_node(JsonString(), "Address of the next page.")
    previous = nullable_node(JsonString(), "Address of the page before.")


def page(request: Request, plural: str, entries: Sequence[Any], count: int, taken: int | None = None) -> dict[str, Any]:
    """The envelope of a list whose query was validated by a PageQuery.

    ``taken`` is the number of entries where a page ends before its limit because they are large.
    """
    return {plural: list(entries), "count": count, **page_links(request, count, taken)}


def page_of(request: Request, plural: str, entries: Sequence[Any]) -> dict[str, Any]:
    """The envelope of a list, cut from all its entries."""
    query = request.validated["querystring"]
    return page(request, plural, entries[query["offset"] : query["offset"] + query["limit"]], len(entries))


def only_page(plural: str, entries: Sequence[Any]) -> dict[str, Any]:
    """The envelope of a list that is never divided into pages."""
    return {plural: list(entries), "count": len(entries), "next": None, "previous": None}


def page_links(request: Request, count: int, taken: int | None = None) -> dict[str, str | None]:
    """Links to the pages around this one, which has ``taken`` entries, or else as many as ``limit`` says."""
    query: Mapping[str, Any] = request.validated["querystring"]
    limit, offset = query["limit"], query["offset"]
    following = offset + (taken or limit)
    return {
        "next": _link(request, limit, following) if following < count else None,
        # From beyond the end it leads to the last entries, not to another empty page.
        "previous": _link(request, limit, max(0, min(offset, count) - limit)) if offset > 0 else None,
    }


def _link(request: Request, limit: int, offset: int) -> str:
    others = [(k, v) for k, v in request.GET.items() if k not in ("limit", "offset")]
    # A list that is whole without a limit takes none so large.
    sized = [("limit", limit)] if limit <= MAX_LIMIT else []
    path = request.current_service.canonical if not request.matchdict else request.path
    return f"{link_base(request)}{path}?{urlencode([*others, *sized, ('offset', offset)])}"
