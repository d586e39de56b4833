"""After a restore: deliveries that were pending in the backup are stopped, as they were sent since or are outdated."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.backups import Restoration
from skywatch.notify.models import Channel, Delivery
from skywatch.notify.vocabulary import OPEN_STATES, DeliveryState
from skywatch.sentences import sentence

HELD = sentence("notify.held", "held: the database was restored from a backup")


def hold_pending(session: Session, restoration: Restoration) -> None:
    """Hold all open deliveries until somebody retries them, unless they are to be sent."""
    session.execute(sa.update(Channel).values(lease=None, leased_until=None))
    if restoration.send:
        return
    values = {"state": DeliveryState.HELD.value, "next_at": None, "batch": None, "last_error": HELD}
    session.execute(sa.update(Delivery).where(Delivery.state.in_(OPEN_STATES)).values(values))
