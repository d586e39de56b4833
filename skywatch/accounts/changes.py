"""How accounts are changed: one change after the other, and everybody hears of it once it is committed."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.orm import Session

from skywatch.accounts.cache import TOPIC
from skywatch.accounts.models import AccessVersion
from skywatch.core.bus import Bus, Message


def begin_change(session: Session, bus: Bus | None) -> None:
    """Begin a change of accounts in this transaction; ``bus`` None is for tools outside the service.

    Waits until other changes are done, so that rules about what others hold (the last superadmin, the number of
    keys, the caller's own rights) see the state in which the change will be made. After the commit the change is
    announced, and every process forgets what it remembers.
    """
    raised = session.execute(
        sa.update(AccessVersion).where(AccessVersion.id == 1).values(version=AccessVersion.version + 1),
        execution_options={"synchronize_session": False},
    )
    if raised.rowcount == 0:  # type: ignore[attr-defined]
        session.add(AccessVersion(id=1, version=1))
        session.flush()
    # What the session has read before the lock may be old.
    session.expire_all()
    if bus is not None:
        event.listen(session, "after_commit", lambda _: announce(bus), once=True)


def announce(bus: Bus) -> None:
    """Tell every process to forget what it remembers of accounts."""
    bus.publish(Message(TOPIC, "changed", b"{}"))


def announce_login(session: Session, bus: Bus, user_id: int) -> None:
    """After the commit, have every process look up anew what is shown of a user who has logged in."""
    message = Message(TOPIC, "login", str(user_id).encode())
    event.listen(session, "after_commit", lambda _: bus.publish(message), once=True)
