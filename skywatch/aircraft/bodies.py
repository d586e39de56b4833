"""Encoded aircraft as other answers need them: with more members, with fewer, without their position.

What was encoded is not decoded for that: members are cut out and added as bytes. Within a JSON string quotation marks
are escaped, so ``,"name":`` can only be the name of a member.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from skywatch.http.resources.render import encode

ROUTE = "route"
LAT, LON = b',"lat":', b',"lon":'
# The values of members stay as they are, as bytes.
_raw_members = msgspec.json.Decoder(list[dict[str, msgspec.Raw]])


def with_members(body: bytes, members: Mapping[str, Any]) -> bytes:
    """A JSON object with further members at its end."""
    return body[:-1] + b"," + encode(members)[1:]


def without_position(body: bytes) -> tuple[bytes, bytes, bytes]:
    """A JSON object without ``lat`` and ``lon``, which it must have after its first member, and these as JSON."""
    body, lat = _without(body, LAT)
    body, lon = _without(body, LON)
    return body, lat, lon


def only_fields(bodies: bytes, names: list[str], routes: Sequence[bytes] = ()) -> bytes:
    """A JSON array of aircraft with only these members, and always ``hex``.

    ``routes`` is the route of each, which is no member of what was encoded.
    """
    selected = {"hex", *names}
    aircraft = [{name: member[name] for name in member if name in selected} for member in _raw_members.decode(bodies)]
    if ROUTE in selected:
        for members, route in zip(aircraft, routes, strict=True):
            members[ROUTE] = msgspec.Raw(encode(route.decode() or None))
    return msgspec.json.encode(aircraft)


def _without(body: bytes, name: bytes) -> tuple[bytes, bytes]:
    """An object without a member that is a number, and the number."""
    start = body.index(name)
    value = start + len(name)
    end = body.find(b",", value)
    if end < 0:
        end = len(body) - 1
    return body[:start] + body[end:], body[value:end]
