"""The messages with which a process that starts takes the whole picture from another one that follows it.

It publishes a ``Search`` for all followers, gets an ``Offer`` of each that has a newer picture, sends one of them a
``Request`` and gets its ``Snapshot``. Each message begins with a version (one byte); fields are added behind the
others.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

VERSION = 1
SEARCH, OFFER, REQUEST, SNAPSHOT = "search", "offer", "request", "snapshot"
# All followers listen to the first topic, each to a topic of its own that begins with the second.
ALL, OWN = "picture:followers", "picture:follower:"


class UnknownVersion(ValueError):
    """A message of a release whose messages this one cannot read."""


class Search(msgspec.Struct, array_like=True):
    """Who has a picture that was made after ``now`` (unix seconds, 0 where the sender has none)?"""

    answer_to: str
    now: float


class Offer(msgspec.Struct, array_like=True):
    """``holder`` (the topic of a follower) has the picture of ``now`` (unix seconds)."""

    holder: str
    now: float


class Request(msgspec.Struct, array_like=True):
    """Send the picture to this topic."""

    answer_to: str


class Snapshot(msgspec.Struct, array_like=True):
    """A picture (``sky.to_bytes``), and for how long its tracker has published nothing (s)."""

    holder: str
    silent_s: float
    sky: bytes


T = TypeVar("T", Search, Offer, Request, Snapshot)
_encoder = msgspec.msgpack.Encoder()


def encode(message: Search | Offer | Request | Snapshot) -> bytes:
    """A message as bytes."""
    return bytes((VERSION,)) + _encoder.encode(message)


def decode(data: bytes, kind: type[T]) -> T:
    """The message of ``encode``; raises ValueError where it is none, UnknownVersion where it is another release's."""
    if data[:1] != bytes((VERSION,)):
        raise UnknownVersion(f"version {data[0] if data else 'none'} cannot be read; this release reads {VERSION}")
    try:
        return msgspec.msgpack.decode(memoryview(data)[1:], type=kind)
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None
