"""``RetryingReceiver``: what all kinds share - the true status, and trying again after growing pauses.

A kind writes one coroutine, ``session``, that connects and reads until its input breaks; everything else (pauses,
states, rates, counters of what was refused, errors without credentials) is here.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import re
import socket
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import msgspec

from skywatch.receivers.base import ReceiverStatus, Sink, State
from skywatch.receivers.meter import RateMeter
from skywatch.receivers.report import Report

logger = logging.getLogger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
# A session that held this long and heard something was healthy: the next pause is the first again.
HEALTHY_S = 10.0
LONGEST_ERROR = 200
_ERRNO = re.compile(r"\[Errno ([0-9]{1,4})\]")


class InputError(Exception):
    """The input broke or cannot be reached; the text is one line for people, without credentials.

    ``pause_s`` is how long the input asks not to be troubled again, where it does.
    """

    def __init__(self, reason: str, pause_s: float = 0.0) -> None:
        super().__init__(reason)
        self.pause_s = pause_s


class InputEnded(Exception):
    """The input was read to its end and there is nothing more to come."""


class RetryingReceiver(ABC):
    """A receiver that tries again for ever."""

    kind: ClassVar[str]
    # The first pause after something went wrong; it doubles from there.
    first_pause_s = FIRST_PAUSE_S

    def __init__(self, name: str, address: str) -> None:
        now = time.monotonic()
        self.name = name
        self.invalid: Counter[str] = Counter()
        self._status = ReceiverStatus(name=name, kind=self.kind, address=address, invalid=self.invalid)
        self._message_meter = RateMeter(now)
        self._position_meter = RateMeter(now)
        self._heard = False
        self._sink: Sink | None = None

    @abstractmethod
    async def session(self) -> None:
        """Connect and read until the input breaks (InputError, OSError) or has ended (InputEnded)."""

    @property
    def status(self) -> ReceiverStatus:
        """The state of this moment, a copy of its own."""
        now = time.monotonic()
        return msgspec.structs.replace(
            self._status,
            message_rate=round(self._message_meter.rate(now), 2),
            position_rate=round(self._position_meter.rate(now), 2),
            invalid=dict(self.invalid),
        )

    async def run(self, sink: Sink) -> None:
        """Read until cancelled, or until the input has ended."""
        self._sink = sink
        pause_s = self.first_pause_s
        while True:
            started_at = time.monotonic()
            self._heard = False
            asked_pause_s = 0.0
            try:
                await self.session()
                self._trouble("waiting", "the connection was closed")
            except InputEnded:
                self._status.state = "ended"
                return
            except InputError as error:
                self._trouble("waiting", str(error))
                asked_pause_s = error.pause_s
            except (OSError, EOFError) as error:
                self._trouble("waiting", one_line(error))
            except Exception as error:
                # A fault of ours must not take the other receivers along.
                logger.exception("receiver %s failed", self.name)
                self._trouble("failed", one_line(error))
            if self._heard and time.monotonic() - started_at >= HEALTHY_S:
                pause_s = self.first_pause_s
            # Some chance, so that many services do not knock at one door in step.
            await asyncio.sleep(max(pause_s * random.uniform(0.8, 1.0), self.first_pause_s, asked_pause_s))
            pause_s = min(pause_s * 2, max(LONGEST_PAUSE_S, self.first_pause_s))
            self._status.reconnects += 1

    def connected(self) -> None:
        """The input was reached."""
        self._status.state = "connected"

    def stalled(self, reason: str) -> None:
        """The input is there, but has stopped saying anything new."""
        self._trouble("waiting", reason)

    def deliver(self, reports: Sequence[Report], messages: int, positions: int) -> None:
        """Count what was heard and hand it to the sink; ``positions`` is how many of the messages were positions."""
        assert self._sink is not None, "a receiver delivers only while it runs"
        if messages or reports:
            self._count(messages, positions)
            self._sink.put(self.name, reports, messages)

    def problem(self, reason: str) -> None:
        """Remember an error that does not end the session."""
        self._status.last_error = reason[:LONGEST_ERROR]
        self._status.last_error_at = time.time()

    def _count(self, messages: int, positions: int) -> None:
        now = time.monotonic()
        if messages:
            self._heard = True
            self._status.last_message_at = time.time()
        self._status.messages += messages
        self._status.positions += positions
        self._message_meter.add(messages, now)
        self._position_meter.add(positions, now)

    def _trouble(self, state: State, reason: str) -> None:
        self._status.state = state
        if reason != self._status.last_error:
            logger.warning("receiver %s: %s", self.name, reason)
        self.problem(reason)


def one_line(error: BaseException) -> str:
    """An exception as one line for people: the system's own words where it is one of the system's."""
    if isinstance(error, socket.gaierror):
        return "the host is not known"
    if isinstance(error, OSError):
        # Where every address of a host failed, asyncio tells the numbers only in its text.
        wrapped = _ERRNO.search(str(error))
        number = error.errno or (int(wrapped[1]) if wrapped else 0)
        if number:
            reason = os.strerror(number)
            return reason[0].lower() + reason[1:]
    text = " ".join(str(error).split())
    return text or type(error).__name__
