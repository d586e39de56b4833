"""The admitted subscribers of one process: their number per user, and reviews of their rights."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import methodcaller
from typing import Protocol

from skywatch.core.bus import Message
from skywatch.core.database.engine import report_fault
from skywatch.core.limits import CountLimit
from skywatch.core.problems import Problem
from skywatch.core.process.tasks import repeat
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.realtime.subscribers.authentication import Admission, ConnectionAuthenticator
from skywatch.realtime.topics.event_log import Stream
from skywatch.realtime.topics.picture_state import LiveView
from skywatch.realtime.wire import messages
from skywatch.realtime.wire.answers import Reconnect, ServerMessage
from skywatch.realtime.wire.close_codes import CloseReason
from skywatch.security.identity import Identity

log = logging.getLogger(__name__)
# Interval of reviewing admissions (s): an ended login must be refused within one second.
REVIEW_EVERY_S = 0.9


class AccountsAwayError(Exception):
    """A credential cannot be checked at present."""


class Subscriber(Protocol):
    """The interface of admitted subscribers."""

    admission: Admission | None

    @property
    def protocol(self) -> messages.Protocol:
        """Its protocol."""

    @property
    def subscriptions(self) -> Mapping[str, LiveView | Stream]:
        """Its view or stream of each topic."""

    def send(self, message: ServerMessage) -> None:
        """Send a message."""

    def review(self, now: Problem | Admission) -> None:
        """Apply its present admission."""

    def end(self, reason: CloseReason) -> None:
        """End its connection."""

    def send_picture_state(self) -> None:
        """Send whether the picture is live, if an aircraft topic is subscribed."""

    def send_of_aircraft(self, message: Message) -> None:
        """Send an event of an aircraft, if its topic is subscribed and the event is for this subscriber."""

    def abandon(self) -> None:
        """Drop the connection at once."""


class SubscriberRegister:
    """The subscribers of one hub; ``faults`` logs faults with one of them."""

    def __init__(self, authenticator: ConnectionAuthenticator, connections_per_user: int, faults: FaultLog) -> None:
        self.sessions: dict[Subscriber, None] = {}
        self._authenticator = authenticator
        self._users = CountLimit(connections_per_user)
        self._faults = faults
        self._review_requested = asyncio.Event()
        self._review_faults = FaultLog(
            log, "the rights of the subscribers cannot be reviewed", "the rights of the subscribers are reviewed again"
        )
        # Of connections whose token cannot be looked up; they come by the hundred once the database is away.
        self._account_faults = FaultLog(log, "the accounts did not answer", "the accounts answer again")

    @property
    def is_private(self) -> bool:
        """Whether everybody needs a credential."""
        return self._authenticator.mode == "private"

    async def admit(self, credential: str | None) -> Admission:
        """Check a credential. Raises Problem where it is wrong, and AccountsAwayError, which is logged."""
        try:
            admission = await self._authenticator.admit(credential)
        except Problem:
            raise
        except Exception as error:
            report_fault(self._account_faults, error)
            raise AccountsAwayError from error
        self._account_faults.succeeded()
        return admission

    def close(self) -> None:
        """Check no more credentials."""
        self._authenticator.close()

    def enter(self, session: Subscriber, admission: Admission) -> bool:
        """Add a subscriber; False if the user has reached the limit of connections."""
        if admission.identity is not None and not self._users.take(admission.identity.user_id):
            return False
        self.sessions[session] = None
        return True

    def remove(self, session: Subscriber) -> None:
        """Remove a subscriber whose connection has ended."""
        if session in self.sessions:
            del self.sessions[session]
            if session.admission is not None and session.admission.identity is not None:
                self._users.release(session.admission.identity.user_id)

    def each(self, action: Callable[[Subscriber], None]) -> None:
        """Apply an action to all of them; a fault with one drops only that one."""
        for session in list(self.sessions):
            self._apply(action, session)

    def _apply(self, action: Callable[[Subscriber], None], session: Subscriber) -> None:
        try:
            action(session)
        except Exception as error:
            self._faults.failed("a subscriber is dropped", error)
            session.abandon()

    def end_all(self, reason: CloseReason, within_s: float) -> None:
        """End all connections; each client is asked to return after a random time of at most ``within_s``."""

        def end(session: Subscriber) -> None:
            after_s = round(random.uniform(0.0, within_s), 1)
            session.send(Reconnect(after_s=after_s))
            session.end(replace(reason, message=f"{reason.message}; come back in {after_s} s"))

        self.each(end)

    # Reviews

    def request_review(self) -> None:
        """Review all of them at once: identities or settings have changed."""
        self._review_requested.set()

    async def review_forever(self) -> None:
        """Review all of them regularly and on request."""
        await repeat(self.review, REVIEW_EVERY_S, self._review_faults, wake=self._review_requested)

    async def review(self) -> None:
        """Apply the present admissions of all subscribers."""
        groups: dict[Identity | None, list[Subscriber]] = {}
        for session in self.sessions:
            if session.admission is not None:
                groups.setdefault(session.admission.identity, []).append(session)
        if not groups:
            return
        admissions = await self._authenticator.review(list(groups))
        for (identity, sessions), admission in zip(groups.items(), admissions, strict=True):
            for session in sessions:
                # A token that was renewed meanwhile is reviewed the next time.
                if session.admission is not None and session.admission.identity == identity:
                    self._apply(methodcaller("review", admission), session)
