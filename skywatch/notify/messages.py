"""Outgoing messages: one notification, or several as one digest, each as JSON for programs and text for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from skywatch.core.clock import to_iso
from skywatch.notify.models import Delivery
from skywatch.notify.vocabulary import PRIORITIES

# Receivers accept bodies of up to 20 kB (Standard Webhooks).
MAX_BYTES = 19_500
# Notifications listed in the text of a digest; the JSON document has as many as fit.
DIGEST_LINES = 20


@dataclass(frozen=True)
class OutgoingMessage:
    """``document`` is the JSON body for programs, at most 20 kB; all attempts have the same ``id``."""

    id: str
    title: str
    text: str
    priority: str
    document: bytes


def compose(deliveries: Sequence[Delivery], message_id: str, now: datetime) -> OutgoingMessage:
    """One message for one or several deliveries."""
    first = deliveries[0]
    if len(deliveries) == 1:
        document = _single(first)
        return OutgoingMessage(message_id, first.title, first.text, first.priority, document)
    priority = max((delivery.priority for delivery in deliveries), key=PRIORITIES.index)
    lines = [f"{to_iso(d.at)[11:16]}Z {d.title}: {d.text}" for d in deliveries[:DIGEST_LINES]]
    if len(deliveries) > DIGEST_LINES:
        lines.append(f"... and {len(deliveries) - DIGEST_LINES} more")
    title = f"{len(deliveries)} notifications"
    return OutgoingMessage(message_id, title, "\n".join(lines), priority, _digest(deliveries, now))


def test_message(message_id: str, now: datetime) -> OutgoingMessage:
    """The message with which a user tests a channel."""
    text = "This is a test of the notification channel."
    document = {"type": "channel.test", "timestamp": to_iso(now), "data": {"message": text}}
    return OutgoingMessage(message_id, "Skywatch test", text, "info", msgspec.json.encode(document))


def _single(delivery: Delivery) -> bytes:
    data = dict(delivery.body)
    while True:
        document = msgspec.json.encode(_entry(delivery, data))
        if len(document) <= MAX_BYTES or not data:
            return document
        # Removes the largest member first; those that identify the alert are small.
        del data[max(data, key=lambda name: len(msgspec.json.encode(data[name])))]
        data["truncated"] = True


def _digest(deliveries: Sequence[Delivery], now: datetime) -> bytes:
    def document(entries: list[dict[str, Any]]) -> bytes:
        data = {"count": len(deliveries), "alerts": entries, "truncated": len(entries) < len(deliveries)}
        return msgspec.json.encode({"type": "alert.digest", "timestamp": to_iso(now), "data": data})

    entries: list[dict[str, Any]] = []
    room = MAX_BYTES - len(document([]))
    for delivery in deliveries:
        entry = _entry(delivery, delivery.body)
        size = len(msgspec.json.encode(entry)) + 1
        if size > room:
            break
        room -= size
        entries.append(entry)
    return document(entries)


def _entry(delivery: Delivery, data: dict[str, Any]) -> dict[str, Any]:
    return {"type": delivery.event, "timestamp": to_iso(delivery.at), "data": data}
