"""A message as bytes: what travels between processes, and what is stored of an event.

It is a version (one byte), the length of a small msgspec-encoded head (three bytes), the head, and the untouched data
behind it, so that large snapshots are not encoded twice. Version 0 is what releases without a version have sent.
Further forms of the data are small: they travel in the head. New fields are added behind the others; an older version
ignores them.
"""

from __future__ import annotations

import msgspec

from skywatch.core.bus.base import EVERYBODY, Audience, Form, Message


class _Head(msgspec.Struct, array_like=True):
    event: str
    snapshot: bool = False
    users: list[int] = []
    oversight: str | None = None
    # Whether anything is in ``needs``, which an older version does not read.
    restricted: bool = False
    needs: list[str] = []
    forms: list[tuple[list[str], bytes]] = []
    id: int = 0
    aircraft: list[str] = []
    # Of each form.
    form_aircraft: list[list[str]] = []


VERSION = 0


class UnknownVersion(msgspec.MsgspecError):
    """A message of a release whose messages this one cannot read."""


# A permission that no role has: older versions marked a message as restricted without naming the permission.
_UNNAMED = "restricted"


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Head)


def pack(message: Message) -> bytes:
    """A message as bytes, without its topic."""
    audience = message.audience
    head = _encoder.encode(
        _Head(
            message.event,
            message.snapshot,
            sorted(audience.users),
            audience.oversight,
            bool(audience.needs),
            sorted(audience.needs),
            [(sorted(form.needs), form.data) for form in message.forms],
            message.id,
            sorted(audience.aircraft),
            [sorted(form.aircraft) for form in message.forms],
        )
    )
    return bytes((VERSION,)) + len(head).to_bytes(3, "big") + head + message.data


def unpack(topic: str, packed: bytes) -> Message:
    """The message of ``pack``; raises msgspec.MsgspecError for what is none, ``UnknownVersion`` among them."""
    if packed and packed[0] != VERSION:
        raise UnknownVersion(f"messages of version {packed[0]} cannot be read; this release reads {VERSION}")
    end = 4 + int.from_bytes(packed[1:4], "big")
    head = _decoder.decode(packed[4:end])
    needs = head.needs or ([_UNNAMED] if head.restricted else [])
    audience = Audience(frozenset(head.users), head.oversight, frozenset(needs), frozenset(head.aircraft))
    if audience == EVERYBODY:
        audience = EVERYBODY
    of_forms = head.form_aircraft or [[]] * len(head.forms)
    forms = tuple(
        [
            Form(frozenset(permissions), data, frozenset(aircraft))
            for (permissions, data), aircraft in zip(head.forms, of_forms, strict=True)
        ]
    )
    return Message(topic, head.event, packed[end:], audience, head.snapshot, forms=forms, id=head.id)
