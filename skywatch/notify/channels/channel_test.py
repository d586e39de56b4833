"""Sends one test message through a channel while its owner waits for the answer."""

from __future__ import annotations

import asyncio
import logging

from skywatch.core.clock import utcnow
from skywatch.core.limits import ConcurrencyLimiter
from skywatch.core.runtime import Runtime
from skywatch.core.storage.audit import Target, record_apart
from skywatch.http.limits.slow_work import slow_work
from skywatch.notify.channels.service import get_channel
from skywatch.notify.deliveries.leases import check_readable, recipient_of
from skywatch.notify.deliveries.outbox import new_message_id
from skywatch.notify.messages import test_message
from skywatch.notify.models import Channel
from skywatch.notify.owner import Owner
from skywatch.notify.senders.base import UNREACHABLE, Recipient, SendFailed
from skywatch.sentences import sentence

log = logging.getLogger(__name__)
TIMEOUT_S = 18.0


def channel_test_limiter(runtime: Runtime) -> ConcurrencyLimiter:
    """Create the limiter of tests: they wait for a foreign server, and block threads of the API meanwhile."""
    return slow_work(
        runtime,
        "channel_tests",
        sentence("work.channel_test", "test of a channel"),
        sentence("work.many_channel_tests", "tests of channels"),
        at_once=2,
        wait_s=2.0,
        retry_after_s=5,
    )


def try_in_turn(runtime: Runtime, owner: Owner, person: str, channel_id: int) -> str | None:
    """``try_channel`` for its owner, two at a time and one of a ``person``, with an audit entry.

    Raises Problem (404 if it is not the caller's, 503 if others are being tested).
    """
    with runtime.sessions() as session:
        # A session of its own: the request's would keep the database locked while a foreign server answers.
        name = get_channel(session, owner, channel_id).name
    with runtime.shared(channel_test_limiter).turn(person):
        fault = try_channel(runtime, channel_id)
    after = {"delivered": fault is None, "detail": fault or ""}
    record_apart(runtime.sessions, owner.actor, "channel.tested", Target("channel", channel_id, name), after=after)
    return fault


def try_channel(runtime: Runtime, channel_id: int) -> str | None:
    """None if the message was accepted, else the reason; call it in a thread without an event loop."""
    now = utcnow()
    with runtime.sessions() as session:
        recipient = recipient_of(session, session.get_one(Channel, channel_id), now)
    try:
        check_readable(recipient)
        asyncio.run(_send(runtime, recipient))
    except SendFailed as failure:
        log.info("channel %d, test: %s", channel_id, failure.cause)
        return str(failure)
    except TimeoutError:
        log.info("channel %d, test: no answer within %g s", channel_id, TIMEOUT_S)
        return UNREACHABLE
    return None


async def _send(runtime: Runtime, recipient: Recipient) -> None:
    from skywatch.notify.senders.all import create_sender

    sender = create_sender(runtime, recipient.kind)
    try:
        async with asyncio.timeout(TIMEOUT_S):
            await sender.send(recipient, test_message(new_message_id(), utcnow()))
    finally:
        await sender.close()
