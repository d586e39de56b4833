"""Notifications of administrators: a backup by schedule failed, or works again."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from skywatch.core.clock import to_iso, utcnow
from skywatch.notify.channels.queries import subscribers_of
from skywatch.notify.deliveries.outbox import Notification, enqueue

SOURCE = "system"


def notify_failed(session: Session, why: str, newest_at: datetime | None) -> None:
    """Write to the outbox of every user whose channel subscribes to the source that no backup was made."""
    last = f"The newest whole backup is of {to_iso(newest_at)}." if newest_at else "There is no whole backup."
    _notify(session, "backup.failed", "critical", "The backup failed", f"{why}. {last}", why, newest_at)


def notify_recovered(session: Session, newest_at: datetime) -> None:
    """The same when backups are made again."""
    text = f"The backup of {to_iso(newest_at)} is whole."
    _notify(session, "backup.recovered", "info", "Backups work again", text, "", newest_at)


def _notify(
    session: Session, event: str, priority: str, title: str, text: str, why: str, newest_at: datetime | None
) -> None:
    now = utcnow()
    body = {"event": event, "reason": why, "newest_at": to_iso(newest_at) if newest_at else None}
    enqueue(
        session,
        [
            Notification(
                kind=SOURCE,
                subject_id=int(now.timestamp()),
                user_id=user_id,
                priority=priority,
                channel_ids=channel_ids,
                body=body,
                title=title,
                text=text,
                at=now,
                event=event,
            )
            for user_id, channel_ids in subscribers_of(session, SOURCE).items()
        ],
    )
