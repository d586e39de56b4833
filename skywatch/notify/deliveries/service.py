"""The rules of deliveries in the API: visibility, filters and retries."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import civil_rows
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, not_found
from skywatch.core.storage import audit
from skywatch.http.lists.cursor import Key
from skywatch.http.resources.answer import answer
from skywatch.notify.deliveries.outbox import wake_after_commit
from skywatch.notify.deliveries.schedule import expiry
from skywatch.notify.models import Channel, Delivery
from skywatch.notify.owner import Owner
from skywatch.notify.schemas import DeliveryRecord
from skywatch.notify.vocabulary import ChannelState, DeliveryState
from skywatch.sentences import sentence

# Deliveries that one request retries.
MAX_RETRIED = 10_000


def find_deliveries(
    session: Session, owner: Owner, filters: Mapping[str, Any]
) -> tuple[list[Delivery], int, Key | None]:
    """A page, newest first, the count of all, and the cursor key of the last entry if more follow."""
    where = [_visible(owner), *_matching(filters)]
    count = session.scalar(sa.select(sa.func.count()).select_from(Delivery).where(*where)) or 0
    query = sa.select(Delivery).where(*where).order_by(Delivery.created_at.desc(), Delivery.id.desc())
    if filters["cursor"] is not None:
        at, entry_id = filters["cursor"]
        query = query.where(
            sa.or_(Delivery.created_at < at, sa.and_(Delivery.created_at == at, Delivery.id < entry_id))
        )
    else:
        query = query.offset(filters["offset"])
    limit = filters["limit"]
    rows = list(session.scalars(query.limit(limit + 1)))
    page = rows[:limit]
    return page, count, (page[-1].created_at, page[-1].id) if len(rows) > limit else None


def retry_delivery(session: Session, owner: Owner, delivery_id: int) -> Delivery:
    """Retry one delivery now, under the same message id; raises Problem (404, 409)."""
    delivery = session.scalar(sa.select(Delivery).where(Delivery.id == delivery_id, _visible(owner)))
    if delivery is None:
        raise not_found(sentence("thing.delivery", "delivery"))
    channel = session.get_one(Channel, delivery.channel_id)
    if delivery.state in (DeliveryState.DELIVERED, DeliveryState.SENDING):
        raise Problem(
            "conflict",
            sentence("notify.is_delivered", "The delivery is delivered.")
            if delivery.state == DeliveryState.DELIVERED
            else sentence("notify.is_sending", "The delivery is sending."),
        )
    if not channel.enabled or channel.state == ChannelState.DISABLED:
        raise Problem("conflict", sentence("notify.enable_channel_first", "The channel is disabled; enable it first."))
    now = utcnow()
    delivery.state, delivery.next_at, delivery.attempts = DeliveryState.PENDING.value, now, 0
    delivery.expires_at = expiry(delivery.priority, now)
    target = audit.Target("channel", delivery.channel_id, channel.name)
    audit.record(session, owner.actor, "delivery.retried", target, after={"delivery": delivery.id})
    wake_after_commit(session)
    return delivery


def retry_span(session: Session, owner: Owner, begin: datetime, end: datetime, channel_id: int | None) -> int:
    """Retry the dead deliveries of a time span, and those that a restore holds, whose channels are enabled.

    The oldest 10,000 at a time; returns their number.
    """
    now = utcnow()
    where = [
        _visible(owner),
        # What a restore holds has no time at which it is due.
        sa.or_(
            Delivery.state == DeliveryState.DEAD.value,
            sa.and_(Delivery.state == DeliveryState.HELD.value, Delivery.next_at.is_(None)),
        ),
        Delivery.created_at >= begin,
        Delivery.created_at <= end,
        Channel.enabled,
        Channel.state != ChannelState.DISABLED.value,
    ]
    if channel_id is not None:
        where.append(Delivery.channel_id == channel_id)
    oldest = (
        sa.select(Delivery.id)
        .join(Channel, Channel.id == Delivery.channel_id)
        .where(*where)
        .order_by(Delivery.id)
        .limit(MAX_RETRIED)
    )
    expires_at = sa.case(
        (Delivery.priority == "critical", sa.literal(expiry("critical", now), Delivery.expires_at.type)),
        else_=sa.literal(expiry("", now), Delivery.expires_at.type),
    )
    statement = sa.update(Delivery).where(Delivery.id.in_(oldest)).execution_options(synchronize_session=False)
    values = {"state": DeliveryState.PENDING.value, "next_at": now, "attempts": 0, "expires_at": expires_at}
    result: Any = session.execute(statement.values(**values))
    if result.rowcount:
        after = {"from": begin, "to": end, "deliveries": result.rowcount}
        audit.record(session, owner.actor, "delivery.retried", audit.Target("channel", channel_id), after=after)
    wake_after_commit(session)
    return int(result.rowcount)


def delivery_answer(delivery: Delivery) -> dict[str, Any]:
    """A delivery as the API returns it; ``alert_id`` is null if it is not for an alert."""
    return answer(
        DeliveryRecord,
        delivery,
        alert_id=delivery.subject_id if delivery.kind == "alert" else None,
        rule=delivery.rule_id,
        channel=delivery.channel_id,
        message_id=delivery.batch or delivery.message_id,
    )


def _visible(owner: Owner) -> Any:
    if owner.manages:
        may_read: Any = sa.true()
    else:
        may_read = sa.false() if owner.user_id is None else Delivery.user_id == owner.user_id
    return may_read if owner.military else sa.and_(may_read, civil_rows(Delivery))


def _matching(filters: Mapping[str, Any]) -> list[Any]:
    where: list[Any] = []
    columns = {"channel": Delivery.channel_id, "state": Delivery.state, "rule": Delivery.rule_id}
    for name, column in columns.items():
        if filters[name] is not None:
            where.append(column == filters[name])
    if filters["from"] is not None:
        where.append(Delivery.created_at >= filters["from"])
    if filters["to"] is not None:
        where.append(Delivery.created_at <= filters["to"])
    return where
