"""What a bus is: the messages it carries and the operations every implementation offers."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from skywatch.core.telemetry.health import State

# The cause of faults of parts that fail because the bus does (``core.telemetry.fault_log``).
OUTAGE = "bus"


class BusError(Exception):
    """The bus cannot be reached; ``str()`` is one line for the administrator."""


class BusAwayError(BusError):
    """The bus cannot be reached at present, and may be later."""


@dataclass(frozen=True)
class Audience:
    """The audience of a message: everybody with the topic's permission, or only some users.

    ``users`` empty means everybody; ``oversight`` names the permission whose holders receive what is for other
    users all the same. ``needs`` names the permissions that a receiver must hold, every one of them.
    ``aircraft`` are the addresses (upper case) that the message is about: whether one of them is military is asked
    again whenever it is delivered.
    """

    users: frozenset[int] = frozenset()
    oversight: str | None = None
    needs: frozenset[str] = frozenset()
    aircraft: frozenset[str] = frozenset()

    def includes(self, user_id: int | None, permissions: frozenset[str]) -> bool:
        """Whether a user (None: an anonymous caller) with these permissions may receive the message."""
        if not self.needs <= permissions:
            return False
        return not self.users or user_id in self.users or self.oversight in permissions


EVERYBODY = Audience()


@dataclass(frozen=True)
class Form:
    """A form of a message's data for those who hold all the permissions that ``needs`` names; ``aircraft`` as above."""

    needs: frozenset[str]
    data: bytes
    aircraft: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Message:
    """One event on a topic. ``data`` is its encoded form (JSON, unless the topic defines another).

    ``local`` is the same thing as a Python object; only a bus within one process carries it, and receivers
    fall back to ``data`` where it is None. ``snapshot`` marks a message that stands for the whole topic.

    A message may have several ``forms``, the fullest first: a receiver gets the first whose permissions it holds,
    and ``data``, which everybody in the audience may see, where it holds none of them.

    ``id`` is its row in ``events`` (``core.events``), 0 where it has none: the same event may arrive twice.
    """

    topic: str
    event: str
    data: bytes
    audience: Audience = EVERYBODY
    snapshot: bool = False
    local: Any = field(default=None, compare=False)
    forms: tuple[Form, ...] = ()
    id: int = 0

    def data_for(self, permissions: frozenset[str]) -> bytes:
        """The data in the fullest form that these permissions allow."""
        for form in self.forms:
            if form.needs <= permissions:
                return form.data
        return self.data

    @property
    def named_permissions(self) -> frozenset[str]:
        """Every permission on which it depends who receives the message, and in which form."""
        audience = self.audience
        if audience.oversight is None and not self.forms:
            return audience.needs
        oversight = {audience.oversight} if audience.oversight is not None else set()
        return audience.needs.union(oversight, *(form.needs for form in self.forms))

    @property
    def aircraft(self) -> frozenset[str]:
        """Every aircraft that the message is about, in whichever form."""
        return self.audience.aircraft.union(*(form.aircraft for form in self.forms))

    @property
    def size(self) -> int:
        """Bytes of its data in all forms."""
        return len(self.data) + (sum([len(form.data) for form in self.forms]) if self.forms else 0)


Callback = Callable[[Message], None]


class Subscription(ABC):
    """What ``Bus.subscribe`` returns."""

    @abstractmethod
    def close(self) -> None:
        """Stop the deliveries; no callback begins after this returns. Safe to call twice."""


class Bus(ABC):
    """Carries messages from any role to every subscriber in any role.

    Callbacks run in a thread of the bus or of the publisher: they must return at once and must not raise
    (an exception is logged and swallowed). Deliveries of one topic from one publisher arrive in order.
    All methods may be called from any thread. ``carries_objects``: ``Message.local`` reaches every
    subscriber, so that a publisher need not encode it.
    """

    carries_objects = False

    @abstractmethod
    def publish(self, message: Message) -> None:
        """Deliver to every subscriber of the topic; a snapshot is stored as the topic's last one. Never blocks.

        Where the bus is out of reach the message is dropped and counted: what must not be lost was committed to
        the database before it was published. Of snapshots that wait for a slow bus only the newest is delivered.
        """

    def send(self, message: Message) -> bool:
        """Like ``publish``, but waits for the bus, some seconds at most; False where it did not take the message.

        For threads that have a queue of their own; messages overtake those that were published before.
        """
        self.publish(message)
        return True

    @abstractmethod
    def subscribe(
        self, topics: Iterable[str], callback: Callback, on_reconnect: Callable[[], None] | None = None
    ) -> Subscription:
        """Call ``callback`` for each message on the topics from now on.

        ``on_reconnect`` is called after deliveries were interrupted and have resumed: messages may be missing.
        """

    @abstractmethod
    def last(self, topic: str) -> Message | None:
        """The last snapshot published on a topic, by any process."""

    @abstractmethod
    def put(self, key: str, value: bytes, ttl_s: float) -> None:
        """Keep a small value for ``ttl_s`` seconds; raises BusError where the bus is out of reach."""

    @abstractmethod
    def get(self, key: str) -> bytes | None:
        """The value stored under a key, or None; raises BusError if the bus cannot be reached."""

    @abstractmethod
    def delete(self, key: str) -> None:
        """Forget a key; raises BusError where the bus is out of reach."""

    @abstractmethod
    def items(self, prefix: str) -> dict[str, bytes]:
        """All stored values whose key begins with ``prefix``; raises BusError if the bus cannot be reached."""

    @abstractmethod
    def healthy(self) -> bool:
        """Whether the bus can be used at this moment; returns at once."""

    @abstractmethod
    def state(self) -> State:
        """For health: whether this process sends and receives, and if not, why. Returns at once."""

    @abstractmethod
    def close(self) -> None:
        """End all subscriptions and connections. Safe to call twice."""


def call_on_loop(loop: asyncio.AbstractEventLoop, callback: Callable[..., object], *arguments: object) -> None:
    """Call from any thread on an asyncio loop; a closed loop, whose role is stopping, is left alone."""
    # In its own thread a loop needs no waking, which is a write to a socket and a read of it.
    is_here = asyncio._get_running_loop() is loop
    with contextlib.suppress(RuntimeError):
        (loop.call_soon if is_here else loop.call_soon_threadsafe)(callback, *arguments)
