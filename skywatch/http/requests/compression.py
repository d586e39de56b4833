"""Which requests accept compressed responses, and compressing them."""

from __future__ import annotations

import zlib

from pyramid.response import Response

from skywatch.http.requests.request import Request

_GZIP = 16 + zlib.MAX_WBITS
# The picture of 15,000 aircraft has 9 MB. Level 6 takes three times as long as level 1, level 9 eight times, for a
# fifth less.
LARGE_BYTES, LARGE_LEVEL, SMALL_LEVEL = 65_536, 1, 6


def takes_gzip(request: Request) -> bool:
    """Whether the client accepts gzip; without Accept-Encoding it may not be able to decompress."""
    is_named = "gzip" in request.environ.get("HTTP_ACCEPT_ENCODING", "").lower()
    return is_named and bool(request.accept_encoding.acceptable_offers(["gzip"]))


def compress(response: Response) -> None:
    """Compress a response whose body is known as a whole."""
    body: bytes = response.body
    packer = zlib.compressobj(LARGE_LEVEL if len(body) > LARGE_BYTES else SMALL_LEVEL, zlib.DEFLATED, _GZIP)
    response.body = packer.compress(body) + packer.flush()
    response.content_encoding = "gzip"
