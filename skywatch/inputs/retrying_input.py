"""``RetryingInput``: what all inputs share - the true status, and reconnection after growing pauses.

A kind of input implements one coroutine, ``session``, that connects and reads until its input breaks; everything else
(pauses, states, rates, counters, errors without credentials) is here.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import re
import socket
import ssl
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Generic, TypeVar

import msgspec

from skywatch.core.network.certificates import HOW_TO_TRUST, UNTRUSTED, tls_fault
from skywatch.inputs.base import ACTIVE_STATES, Consumer, FilePosition, InputStatus, Message, Origin, State
from skywatch.inputs.meter import RateMeter
from skywatch.sentences import sentence

logger = logging.getLogger(__name__)

FIRST_PAUSE_S = 1.0
MAX_PAUSE_S = 30.0
# A session that lasted this long and received something was healthy: the next pause is the first again.
HEALTHY_S = 10.0
MAX_ERROR = 200
# The traceback of a fault that comes back is logged once in so many times.
FAULTS_PER_LOG_LINE = 100
_ERRNO = re.compile(r"\[Errno ([0-9]{1,4})\]")

StatusT = TypeVar("StatusT", bound=InputStatus)


class InputError(Exception):
    """The input broke or cannot be reached; the text is one line for people, without credentials.

    ``pause_s`` is how long the server asks to be left alone (``Retry-After``), where it does.
    """

    def __init__(self, reason: str, pause_s: float = 0.0) -> None:
        super().__init__(reason)
        self.pause_s = pause_s


class InputEnded(Exception):
    """The input was read to its end and there is nothing more to come."""


class RetryingInput(ABC, Generic[StatusT]):
    """An input that reconnects until it is stopped. ``status`` holds its name, kind, family and address."""

    # The first pause after something went wrong; it doubles from there.
    first_pause_s = FIRST_PAUSE_S

    def __init__(self, status: StatusT) -> None:
        self.name = status.name
        self.invalid: Counter[str] = Counter()
        self._status = status
        self._message_meter = RateMeter(time.monotonic())
        self._received = False
        self._faults = 0

    @abstractmethod
    async def session(self) -> None:
        """Connect and read until the input breaks (InputError, OSError) or has ended (InputEnded)."""

    @property
    def status(self) -> StatusT:
        """The state of this moment, a copy."""
        rate = self._message_meter.rate(time.monotonic())
        return msgspec.structs.replace(self._status, message_rate=round(rate, 2), invalid=dict(self.invalid))

    async def read_forever(self) -> None:
        """Read until cancelled, or until the input has ended."""
        pause_s = self.first_pause_s
        while True:
            started_at = time.monotonic()
            self._received = False
            requested_pause_s = 0.0
            try:
                await self.session()
                self._set_trouble("waiting", sentence("input.closed", "the connection was closed"))
            except InputEnded:
                self._enter("ended")
                return
            except InputError as error:
                self._set_trouble("waiting", str(error))
                requested_pause_s = error.pause_s
            except (OSError, EOFError) as error:
                self._set_trouble("waiting", one_line(error))
            except Exception as error:
                # A fault of the program in one input must not take the other inputs along.
                self._log_fault()
                self._set_trouble("failed", one_line(error))
            if self._received and time.monotonic() - started_at >= HEALTHY_S:
                pause_s = self.first_pause_s
            # Random, so that many services do not connect to one server at the same moment.
            await asyncio.sleep(max(pause_s * random.uniform(0.8, 1.0), self.first_pause_s, requested_pause_s))
            pause_s = min(pause_s * 2, max(MAX_PAUSE_S, self.first_pause_s))
            self._status.reconnects += 1

    def set_connected(self, state: State = "connected") -> None:
        """The input was reached."""
        self._enter(state)

    def set_stalled(self, reason: str) -> None:
        """The input answers, but nothing in it changes any more."""
        self._set_trouble("waiting", reason)

    def set_problem(self, reason: str) -> None:
        """Record an error that does not end the session."""
        self._status.set_error(reason)
        self._status.last_error_at = time.time()

    def count_messages(self, count: int) -> None:
        """Count messages that were received and decoded."""
        if count:
            self._received = True
            self._status.last_message_at = time.time()
        self._status.messages += count
        self._message_meter.add(count, time.monotonic())

    def count_stored(self, count: int) -> None:
        """Count messages that the feature has saved; from one thread at a time."""
        self._status.stored += count

    def count_dropped(self, count: int = 1) -> None:
        """Count messages that were lost because a queue was full or a limit exceeded; from one thread at a time."""
        self._status.dropped += count

    def count_invalid(self, reason: str) -> None:
        """Count what was received and could not be decoded later on; from one thread at a time."""
        self.invalid[reason] += 1

    def count_refused(self, count: int = 1) -> None:
        """Count datagrams or connections that are not allowed."""
        self._status.refused += count

    def _enter(self, state: State) -> None:
        if self._status.since is None or self._status.is_active != (state in ACTIVE_STATES):
            self._status.since = time.time()
        self._status.state = state

    def _set_trouble(self, state: State, reason: str) -> None:
        self._enter(state)
        if reason != self._status.last_error:
            logger.warning("%s %s: %s", self._status.family, self.name, reason)
        self.set_problem(reason)

    def _log_fault(self) -> None:
        if self._faults % FAULTS_PER_LOG_LINE == 0:
            logger.exception("%s %s failed (%d times)", self._status.family, self.name, self._faults + 1)
        self._faults += 1


class MessageInput(RetryingInput[InputStatus], Generic[Message]):
    """An input whose messages go to a consumer."""

    def __init__(self, status: InputStatus, consumer: Consumer[Message]) -> None:
        super().__init__(status)
        self._consumer = consumer

    async def run(self) -> None:
        """Read until cancelled, or until the input has ended."""
        await self.read_forever()

    def deliver(self, messages: Sequence[Message], sender: str, position: FilePosition | None = None) -> None:
        """Count messages and pass them on; a new position is passed on without messages too."""
        self.count_messages(len(messages))
        if messages or position is not None:
            self._consumer.put(messages, Origin(self.name, sender, time.time(), position))


def one_line(error: BaseException) -> str:
    """An exception as one line for people: the operating system's own words where it is one of its errors."""
    if isinstance(error, socket.gaierror):
        return sentence("input.unknown_host", "the host is not known")
    if isinstance(error, ssl.SSLError):
        # Its number is OpenSSL's, not the system's.
        fault = tls_fault(error)
        return (
            sentence("input.untrusted", "{fault}; {advice}", fault=fault, advice=HOW_TO_TRUST)
            if fault == UNTRUSTED
            else fault
        )
    if isinstance(error, OSError):
        # Where every address of a host failed, asyncio has the numbers only in its text.
        wrapped = _ERRNO.search(str(error))
        number = error.errno or (int(wrapped[1]) if wrapped else 0)
        if number:
            reason = os.strerror(number)
            return reason[0].lower() + reason[1:]
    text = " ".join(str(error).split())
    return text or type(error).__name__
