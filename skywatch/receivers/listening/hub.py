"""``FeederHub``: the feeders that are known to a process, and the connections that they have. One per process.

The feature of feeders replaces what is known and reads what is connected; the listeners ask who is let in.
"""

from __future__ import annotations

import hashlib
import itertools
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Clock = Literal["gps", "free", "none"]
# A connection without a frame for so long (s) is silent.
SILENT_S = 30.0
# A feeder that comes back from another network is let in once its older connection has been silent for so long (s).
YIELDS_AFTER_S = 10.0


@dataclass(frozen=True, slots=True)
class KnownFeeder:
    """A feeder whose connections are accepted; ``shows_signal``: others may know how strongly it hears.

    ``name_key`` is its name in the form in which names are compared. One without a record, who is let in because
    anybody is, has a negative ``id`` and the hash of the UUID that it sent, if any.
    """

    id: int
    uuid_hash: str
    shows_signal: bool
    # A feeder that is renamed is the same one.
    name_key: str = field(default="", compare=False)

    @property
    def is_registered(self) -> bool:
        """Whether it has a record."""
        return self.id > 0

    @property
    def receiver(self) -> str:
        """The name in the picture; it does not identify the feeder's owner."""
        return f"feeder-{self.id}" if self.is_registered else f"anonymous-{-self.id}"


def hash_of(digits: str) -> str:
    """The SHA-256 of the 32 digits of a UUID, which is what is stored of it."""
    return hashlib.sha256(digits.encode()).hexdigest()


class Claimant(Protocol):
    """A connection of a feeder."""

    feeder: KnownFeeder
    network: str
    # Whether it has sent the feeder's UUID; else the setting of the port names the feeder.
    has_uuid: bool

    def silent_s(self) -> float:
        """Seconds since its last frame, or since it began."""

    def close(self) -> None:
        """End it; returns at once."""


class FeederHub:
    """All but ``replace``, ``connections`` and ``take_copied`` is called on the tracker's loop alone."""

    def __init__(self, runtime: Any = None) -> None:
        self._by_hash: dict[str, KnownFeeder] = {}
        self._by_name: dict[str, KnownFeeder] = {}
        self._connected: dict[int, Any] = {}
        self._copied: set[int] = set()
        self._lock = threading.Lock()
        # How many positions of a receiver the picture has refused.
        self.refused: Callable[[str], int] = lambda receiver: 0

    def by_uuid(self, digits: str) -> KnownFeeder | None:
        """The feeder with this UUID (32 digits)."""
        return self.by_hash(hash_of(digits)) if digits else None

    def by_hash(self, digest: str) -> KnownFeeder | None:
        """The feeder whose UUID has this hash."""
        return self._by_hash.get(digest)

    def by_name(self, name: str) -> KnownFeeder | None:
        """The feeder of this name, whatever the case of its letters."""
        return self._by_name.get(name.casefold())

    def anonymous(self, uuid_hash: str = "") -> KnownFeeder:
        """A feeder without a record, with the lowest number that no connection has; ``claim`` takes the number."""
        numbers = (number for number in itertools.count(1) if -number not in self._connected)
        return KnownFeeder(-next(numbers), uuid_hash, True)

    def replace(self, feeders: Iterable[KnownFeeder]) -> None:
        """Take the feeders that are let in now; listeners look at them once a second."""
        feeders = list(feeders)
        self._by_hash = {feeder.uuid_hash: feeder for feeder in feeders}
        self._by_name = {feeder.name_key: feeder for feeder in feeders}

    def is_admitted(self, feeder: KnownFeeder) -> bool:
        """Whether a connection of a feeder may go on; one without a record ends once its UUID has been registered."""
        registered = self.by_hash(feeder.uuid_hash)
        return registered == feeder if feeder.is_registered else registered is None

    def claim(self, connection: Claimant) -> bool:
        """Let a connection in, in place of the feeder's older one; False where that stays."""
        older = self._connected.get(connection.feeder.id)
        if older is not None:
            if older.network != connection.network and older.silent_s() < YIELDS_AFTER_S:
                if connection.has_uuid and older.has_uuid:
                    with self._lock:
                        self._copied.add(connection.feeder.id)
                return False
            older.close()
        self._connected[connection.feeder.id] = connection
        return True

    def release(self, connection: Claimant) -> None:
        """A connection has ended."""
        if self._connected.get(connection.feeder.id) is connection:
            del self._connected[connection.feeder.id]

    def connections(self) -> list[Any]:
        """The connections of this moment."""
        return list(self._connected.values())

    def take_copied(self) -> set[int]:
        """The feeders whose UUID two networks have used at the same time, since this was asked last."""
        with self._lock:
            copied, self._copied = self._copied, set()
        return copied
