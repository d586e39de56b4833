"""Cursor paging for unbounded lists: a cursor names the last entry, so that every page costs the same."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from skywatch.http.lists.pagination import PageQuery, page_links
from skywatch.http.requests.links import link_base
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import QueryString, node
from skywatch.sentences import sentence

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_ID = 2**63
Key = tuple[datetime, int]


def encode_cursor(at: datetime, entry_id: int) -> str:
    """The cursor behind the entry with this time and identifier."""
    microseconds = (at - EPOCH) // timedelta(microseconds=1)
    return base64.urlsafe_b64encode(f"{microseconds}.{entry_id}".encode()).decode().rstrip("=")


def decode_cursor(text: str) -> Key:
    """Time and identifier of a cursor; raises ValueError for one that this service did not issue."""
    try:
        plain = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
        microseconds, _, entry_id = plain.partition(".")
        at, entry = EPOCH + timedelta(microseconds=int(microseconds)), int(entry_id)
        if not 0 <= entry < MAX_ID:
            raise ValueError(entry)
        return at, entry
    except (binascii.Error, ValueError, OverflowError):
        raise ValueError(sentence("field.cursor", "must be a cursor from an earlier page of this list")) from None


class QueryCursor(QueryString):
    """A cursor -> (time, identifier)."""

    def parse(self, text: str) -> Key:  # type: ignore[override]
        if len(text) > 64:
            raise ValueError(sentence("field.cursor", "must be a cursor from an earlier page of this list"))
        return decode_cursor(text)


class CursorQuery(PageQuery):
    """The paging parameters of an unbounded list: ``cursor`` instead of ``offset`` for deep pages."""

    cursor = node(QueryCursor(), "End of the previous page (from its `next`); replaces `offset`.", missing=None)


def cursor_page(request: Request, plural: str, entries: Sequence[Any], count: int, last: Key | None) -> dict[str, Any]:
    """The envelope of such a list; ``last`` is the key of the last entry, None if no entries follow."""
    query = request.validated["querystring"]
    if query["offset"] > 0:
        return {plural: list(entries), "count": count, **page_links(request, count)}
    following = None
    if last is not None:
        others = [(k, v) for k, v in request.GET.items() if k not in ("limit", "offset", "cursor")]
        parameters = urlencode([*others, ("limit", query["limit"]), ("cursor", encode_cursor(*last))])
        following = f"{link_base(request)}{request.path}?{parameters}"
    return {plural: list(entries), "count": count, "next": following, "previous": None}
