"""Lists: ``limit`` and ``offset``, and the links to the next and the previous page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import colander

from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import JsonInteger, JsonString, Nullable, QueryInteger, Schema
from skywatch.http.settings import HttpSettings

DEFAULT_LIMIT = 100
MAXIMUM_LIMIT = 1000


class PageQuery(Schema):
    """The paging parameters of every list."""

    limit = colander.SchemaNode(
        QueryInteger(),
        missing=DEFAULT_LIMIT,
        validator=colander.Range(1, MAXIMUM_LIMIT),
        description="Entries on a page.",
    )
    offset = colander.SchemaNode(
        QueryInteger(),
        missing=0,
        validator=colander.Range(0, 10_000_000),
        description="Entries to skip.",
    )


class PageLinks(Schema):
    """The members of every list in addition to its entries."""

    count = colander.SchemaNode(JsonInteger(), description="All entries that match.")
    next = colander.SchemaNode(Nullable(JsonString()), description="Address of the next page.")
    previous = colander.SchemaNode(Nullable(JsonString()), description="Address of the page before.")


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


def link_base(request: Request) -> str:
    """The base of links: the public address, or else the address of the request; both with the path prefix.

    Without a host, so that links are relative, if the request has no Host (HTTP/1.0 does not require it).
    """
    public = public_address(request)
    return public or (request.host_url if request.environ.get("HTTP_HOST") else "") + request.path_prefix


def public_address(request: Request) -> str:
    """``base_url`` with the path prefix of the request; empty where ``base_url`` is not set."""
    base_url: str = request.runtime.settings.of(HttpSettings).base_url.rstrip("/")
    return base_url.removesuffix(request.path_prefix) + request.path_prefix if base_url else ""


def _link(request: Request, limit: int, offset: int) -> str:
    others = [(k, v) for k, v in request.GET.items() if k not in ("limit", "offset")]
    path = request.current_service.canonical if not request.matchdict else request.path
    return f"{link_base(request)}{path}?{urlencode([*others, ('limit', limit), ('offset', offset)])}"
