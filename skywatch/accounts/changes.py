"""How accounts are changed: one change after the other, each announced to all processes once it is committed.

The announcements are hints: a process that misses one sees the version within half a second (``accounts.cache``).
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.models import AccessVersion
from skywatch.core import events
from skywatch.core.bus import Message, topics


def begin_change(session: Session) -> None:
    """Begin a change of accounts in this transaction.

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
    events.publish(session, Message(topics.IDENTITIES, "changed", b"{}"), stored=False)


def announce_login(session: Session, user_id: int) -> None:
    """After the commit, have every process look up again what is shown of a user who has logged in."""
    events.publish(session, Message(topics.IDENTITIES, "login", str(user_id).encode()), stored=False)
