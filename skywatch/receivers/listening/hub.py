"""``FeederHub``: the feeders that are known to a process, and the connections that they have. One per process.

The feature of feeders replaces what is known and reads what is connected; the listeners ask who is let in.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, Protocol

Clock = Literal["gps", "free", "none"]
# A connection without a frame for so long (s) is silent.
SILENT_S = 30.0
# A feeder that comes back from another network is let in once its older connection has been silent for so long (s).
YIELDS_AFTER_S = 10.0


class KnownFeeder(NamedTuple):
    """A feeder whose connections are accepted; ``shows_signal``: others may know how strongly it hears."""

    id: int
    uuid_hash: str
    shows_signal: bool

    @property
    def receiver(self) -> str:
        """The name in the picture; it does not identify the feeder's owner."""
        return f"feeder-{self.id}"


def hash_of(digits: str) -> str:
    """The SHA-256 of the 32 digits of a UUID, which is what is stored of it."""
    return hashlib.sha256(digits.encode()).hexdigest()


class Claimant(Protocol):
    """A connection of a feeder."""

    feeder: KnownFeeder
    network: str

    def silent_s(self) -> float:
        """Seconds since its last frame, or since it began."""

    def close(self) -> None:
        """End it; returns at once."""


class FeederHub:
    """All but ``replace``, ``connections`` and ``take_copied`` is called on the tracker's loop alone."""

    def __init__(self, runtime: Any = None) -> None:
        self._by_hash: dict[str, KnownFeeder] = {}
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

    def replace(self, feeders: Iterable[KnownFeeder]) -> None:
        """Take the feeders that are let in now; listeners look at them once a second."""
        self._by_hash = {feeder.uuid_hash: feeder for feeder in feeders}

    def is_admitted(self, feeder: KnownFeeder) -> bool:
        """Whether a connection of a feeder may go on."""
        return self.by_hash(feeder.uuid_hash) == feeder

    def claim(self, connection: Claimant) -> bool:
        """Let a connection in, in place of the feeder's older one; False where that stays."""
        older = self._connected.get(connection.feeder.id)
        if older is not None:
            if older.network != connection.network and older.silent_s() < YIELDS_AFTER_S:
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
