"""What is known of a feeder, and what a connection of one has."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from skywatch.receivers.feeder_streams.voices import OURS, Voice
from skywatch.receivers.reports.receiver_names import feeder_receiver

Clock = Literal["gps", "free", "none"]
# A connection without a frame for so long (s) is silent.
SILENT_S = 30.0


@dataclass(frozen=True, slots=True)
class KnownFeeder:
    """A feeder that has a record, or is let in without; ``shows_signal``: others may know how strongly it hears.

    ``name_key`` is its name in the form in which names are compared. One without a record, who is let in because
    anybody is, has a negative ``id`` and the hash of the UUID that it sent, if any.

    A ``trusted`` one is ours; others of one ``owner`` (a user's id) confirm nothing of each other, nor do those
    without a record.
    """

    id: int
    uuid_hash: str
    shows_signal: bool
    # A feeder that is renamed is the same one.
    name_key: str = field(default="", compare=False)
    owner: int | None = None
    trusted: bool = False
    # Whether its frames may be passed on to multilateration; that ends no connection.
    mlat: bool = field(default=False, compare=False)
    # Disabled, or of an owner who is deactivated: known, and not let in.
    is_shut_out: bool = False
    # Where it stands (degrees), for what is on the ground around it: from its next connection on.
    place: tuple[float, float] | None = field(default=None, compare=False)

    @property
    def is_registered(self) -> bool:
        """Whether it has a record."""
        return self.id > 0

    @property
    def receiver(self) -> str:
        """The name in the picture; it does not identify the feeder's owner."""
        return feeder_receiver(self.id)

    def voice(self, network: str) -> Voice:
        """Who speaks through it from a network (text)."""
        if self.trusted:
            return OURS
        if not self.is_registered:
            return Voice.of_anybody(network)
        return Voice("managers" if self.owner is None else f"user-{self.owner}", network)


def hash_of(digits: str) -> str:
    """The SHA-256 of the 32 digits of a UUID, which is what is stored of it."""
    return hashlib.sha256(digits.encode()).hexdigest()


class Connection(Protocol):
    """A connection of a feeder; ``slot`` is its number among those of the process."""

    feeder: KnownFeeder
    network: str
    slot: int
    # Of the other end; since when it is there, and when its last frame came (unix s).
    address: str
    since: float
    last_frame_at: float | None
    clock: Clock | None
    # Heard within a minute.
    aircraft: int
    # Whether it has sent the feeder's UUID; else the setting of the port names the feeder.
    has_uuid: bool

    def silent_s(self) -> float:
        """Seconds since its last frame, or since it began."""

    def close(self) -> None:
        """End it; returns at once."""

    def count(self, counts: dict[str, int]) -> dict[str, int]:
        """Record its counters; return their increase since the last call."""

    def rates(self) -> tuple[float, float, int, float]:
        """Messages and positions a second (over the last ten), aircraft heard now, bytes a second."""


class Lane(NamedTuple):
    """The feeder of a lane."""

    receiver: str
    feeder_id: int
    voice: Voice
