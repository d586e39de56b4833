"""Subscribers without sockets: an outbox that a test can congest, and a client that applies what it is told."""

from __future__ import annotations

import json
from typing import Any

from skywatch.realtime.wire.frames import Point
from skywatch.realtime.wire.native import encode_event


def payload_of(frame: bytes) -> bytes:
    """The payload of one unmasked frame."""
    length = frame[1]
    start = 2 if length < 126 else 4 if length == 126 else 10
    return frame[start:]


class FakeOutbox:
    """Keeps what is pushed."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.congested = False

    def push(self, frame: bytes) -> None:
        self.frames.append(frame)


class ModelClient:
    """Holds the list that snapshots and updates give, and insists that no seq is skipped or repeated."""

    def __init__(self) -> None:
        self.outbox = FakeOutbox()
        self.variant = (encode_event, False)
        self.aircraft: dict[str, dict[str, Any]] = {}
        self.epoch: str | None = None
        self.seq: int | None = None
        self.snapshots = 0
        self.updates = 0

    @property
    def point(self) -> Point | None:
        """Where this client stopped."""
        return Point(self.epoch, self.seq) if self.epoch is not None and self.seq is not None else None

    def read(self) -> None:
        """Apply everything that has arrived."""
        for frame in self.outbox.frames:
            self.apply(json.loads(payload_of(frame)))
        self.outbox.frames.clear()

    def apply(self, event: dict[str, Any]) -> None:
        """One event of an aircraft topic."""
        data = event["data"]
        if event["event"] == "aircraft:snapshot":
            self.aircraft = {a["hex"]: a for a in data["aircraft"]}
            assert len(data["aircraft"]) == data["count"] == len(self.aircraft)
            self.snapshots += 1
        else:
            assert event["event"] == "aircraft:update"
            assert (event["epoch"], data["since"]) == (self.epoch, self.seq), "an update must follow what came before"
            assert event["seq"] > data["since"]
            changed = [a["hex"] for a in data["aircraft"]]
            assert len(changed) == len(set(changed))
            assert not set(changed) & set(data["removed"])
            assert len(data["removed"]) == len(set(data["removed"]))
            self.aircraft.update({a["hex"]: a for a in data["aircraft"]})
            for address in data["removed"]:
                self.aircraft.pop(address, None)
            self.updates += 1
        self.epoch, self.seq = event["epoch"], event["seq"]


AGES = ("seen", "seen_pos", "messages", "rssi")


def comparable(aircraft: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """A list without what changes all the time and does not count as a change."""
    return {address: {k: v for k, v in a.items() if k not in AGES} for address, a in aircraft.items()}
