"""Limits that keep one client from hurting another: times, sizes, messages a second, connections of one holder."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from skywatch.settings import Settings

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Limits:
    """What one client may do, from the settings."""

    connections: int
    message_bytes: int
    messages_per_s: float
    queue_frames: int
    queue_bytes: int
    # From the open WebSocket to its credential.
    connect_s: float = 10.0
    # From a ping to its answer.
    pong_s: float = 20.0
    # Without reading anything although something is there to be read.
    stall_s: float = 30.0

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """The limits that the settings name."""
        return cls(
            connections=settings.realtime_max_connections,
            message_bytes=settings.realtime_max_message_bytes,
            messages_per_s=settings.realtime_messages_per_s,
            queue_frames=settings.realtime_queue_events,
            queue_bytes=settings.realtime_queue_bytes,
        )


class MessageRate:
    """A token bucket: ``rate`` a second on average, twice that at once."""

    __slots__ = ("_at", "_rate", "_tokens")

    def __init__(self, rate: float, now: float) -> None:
        self._rate = rate
        self._tokens = 2 * rate
        self._at = now

    def take(self, now: float) -> bool:
        """Count one message; False where that is one too many."""
        self._tokens = min(2 * self._rate, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class Seldom:
    """Lets one through in ``every_s`` seconds, so that whoever may connect cannot fill the log."""

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._next_at = float("-inf")

    def take(self, now: float) -> bool:
        """Whether this is the first one for so long."""
        if now < self._next_at:
            return False
        self._next_at = now + self._every_s
        return True


class Places:
    """How many connections each holder (an address, a user) has, at most ``limit``."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._taken: Counter[Hashable] = Counter()

    def take(self, holder: Hashable) -> bool:
        """Take one more place; False where the holder has all of theirs."""
        if self._taken[holder] >= self._limit:
            return False
        self._taken[holder] += 1
        return True

    def give_back(self, holder: Hashable) -> None:
        """Give a taken place back."""
        self._taken[holder] -= 1
        if self._taken[holder] <= 0:
            del self._taken[holder]

    def __len__(self) -> int:
        return len(self._taken)


def networks(texts: Sequence[str]) -> tuple[Network, ...]:
    """The networks of the setting ``trusted_proxy``; raises ValueError where one is none."""
    return tuple(ipaddress.ip_network(text, strict=False) for text in texts)


def client_address(peer: str, forwarded_for: str | None, trusted: Sequence[Network]) -> str:
    """Who is at the other end: the last address in ``X-Forwarded-For`` that is not a trusted proxy's.

    The header counts only where the peer itself is a trusted proxy.
    """
    if not _is_trusted(peer, trusted) or not forwarded_for:
        return peer
    address = peer
    for text in reversed(forwarded_for.split(",")):
        candidate = text.strip()
        try:
            ipaddress.ip_address(candidate)
        except ValueError:
            break  # Whoever wrote that cannot be believed about what stands before it.
        address = candidate
        if not _is_trusted(candidate, trusted):
            break
    return address


def is_proxy(peer: str, trusted: Sequence[Network]) -> bool:
    """Whether a peer is a trusted proxy."""
    return _is_trusted(peer, trusted)


def address_group(address: str) -> str:
    """What counts as one address: an IPv4 address, an IPv6 /64."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return address


def _is_trusted(address: str, trusted: Sequence[Network]) -> bool:
    if not trusted:
        return False
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in trusted if network.version == parsed.version)
