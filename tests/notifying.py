"""Channels and notifications for tests, made directly in a database."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from datetime import UTC, datetime

from skywatch.accounts.models import User
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.notify.deliveries.outbox import Notification, enqueue
from skywatch.notify.deliveries.worker import DeliveryWorker, create
from skywatch.notify.models import Channel, Delivery
from skywatch.notify.senders.signatures import new_secret
from tests.waiting import PATIENCE_S

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def add_user(sessions, name="ada", **fields):
    """A user; gives the number."""
    with writing(sessions) as session:
        user = User(
            username=name, username_key=name, email=f"{name}@example.org", email_key=name, display_name=name, **fields
        )
        session.add(user)
        session.flush()
        return user.id


def add_channel(sessions, user_id, address="https://example.org/hook", **fields):
    """A webhook, or what the fields say; gives the number."""
    with writing(sessions) as session:
        channel = Channel(
            **{
                "user_id": user_id,
                "name": "test",
                "kind": "webhook",
                "address": address,
                "secret": new_secret(),
                **fields,
            }
        )
        session.add(channel)
        session.flush()
        return channel.id


def notification(user_id, *channel_ids, subject_id=1, **fields):
    """An alert for these channels."""
    values = {
        "kind": "alert",
        "subject_id": subject_id,
        "user_id": user_id,
        "priority": "info",
        "channel_ids": channel_ids,
        "body": {"id": subject_id, "message": f"alert {subject_id}"},
        "title": "Low helicopter",
        "text": f"alert {subject_id}",
        "at": NOON,
    }
    return Notification(**{**values, **fields})


def send(sessions, *notifications):
    """Put notifications into the outbox, committed; gives how many deliveries came of them."""
    with writing(sessions) as session:
        return enqueue(session, notifications)


def deliveries(sessions):
    """All deliveries, the oldest first."""
    with sessions() as session:
        return session.query(Delivery).order_by(Delivery.id).all()


@contextmanager
def delivering(runtime, senders=None):
    """A worker at work on a loop of its own; ``senders`` replaces its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def call(coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, loop).result(PATIENCE_S)

    async def build():
        return DeliveryWorker(runtime, senders) if senders is not None else create(runtime)

    worker = call(build())
    call(worker.start())
    try:
        yield worker
    finally:
        call(worker.stop())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def change_channel(sessions, channel_id, **fields):
    """Write fields of a channel."""
    with writing(sessions) as session:
        channel = session.get(Channel, channel_id)
        for name, value in fields.items():
            setattr(channel, name, value)


def channel_of(sessions, channel_id):
    """A channel as it is now."""
    with sessions() as session:
        return session.get(Channel, channel_id)


def make_due(sessions):
    """Let the time until the next attempts pass."""
    with writing(sessions) as session:
        session.query(Delivery).filter(Delivery.next_at.is_not(None)).update({"next_at": utcnow()})
        session.query(Channel).update({"paused_until": None})
