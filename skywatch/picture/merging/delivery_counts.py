"""Counts of what each receiver has delivered since the start of the process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class DeliveryCounts:
    """``last_at`` is when the receiver delivered a message last (unix s); ``duplicates`` are frames of a feeder that
    another one had sent shortly before."""

    messages: int = 0
    positions: int = 0
    duplicates: int = 0
    last_at: float = 0.0

    def add(self, messages: int, positions: int, now: float, duplicates: int = 0) -> None:
        """Count a delivery."""
        self.messages += messages
        self.positions += positions
        self.duplicates += duplicates
        if messages:
            self.last_at = now


class ReceiverCounts:
    """The counts of every receiver by name."""

    def __init__(self) -> None:
        self._by_name: dict[str, DeliveryCounts] = {}

    def __getitem__(self, name: str) -> DeliveryCounts:
        """The counts of a receiver, which begin here."""
        counts = self._by_name.get(name)
        if counts is None:
            counts = self._by_name[name] = DeliveryCounts()
        return counts

    def forget(self, name: str) -> None:
        """Drop the counts of a receiver."""
        self._by_name.pop(name, None)

    def snapshot(self) -> dict[str, DeliveryCounts]:
        """All counts; safe in any thread."""
        return dict(self._by_name)

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        for counts in self._by_name.values():
            counts.last_at += step
