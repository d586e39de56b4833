"""``FeederAdmission``: decides, next to the tracker, which feeders are admitted, and publishes their state.

Once a second it reads the records of feeders: a connection that is no longer admitted ends with the next look of its
listener, within two seconds. Who connects meanwhile and is not known has its record read at once.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core import events
from skywatch.core.bus import Message
from skywatch.core.bus.base import Audience
from skywatch.core.clock import to_iso, utcnow
from skywatch.core.database.engine import writing
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.feeders.models import Feeder
from skywatch.feeders.states import FeederState, encode
from skywatch.feeders.topics import STATES, SYSTEM, UUID_COPIED
from skywatch.receivers.feeder_streams.feeder import SILENT_S
from skywatch.receivers.feeder_streams.hub import feeder_hub
from skywatch.receivers.feeder_streams.installation import InstallationFeeders
from skywatch.receivers.feeder_streams.reduction import Link

COMPONENT = "feeders"
MANAGE = "feeders.manage"
EVERY_S = 1.0
SEEN_EVERY_S = 60.0
# The owner is notified again of a copied UUID after so long (s).
COPIED_EVERY_S = 3600.0


class FeederAdmission:
    """Runs between ``start`` and ``stop``."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._hub = runtime.shared(feeder_hub)
        self._reception = runtime.shared(InstallationFeeders)
        self._seen_at = time.monotonic()
        self._last_seen: dict[int, float] = {}
        self._copied_at: dict[int, float] = {}
        self._task = PeriodicTask(COMPONENT, EVERY_S, self._work)

    async def start(self) -> None:
        """Begin; nothing is waited for."""
        self._task.start()

    async def stop(self) -> None:
        """Admit no feeder any more, and write when feeders were heard last."""
        self._task.close()
        self._hub.replace(())
        self._write_seen()

    def _work(self) -> None:
        self._hub.read()
        links, aircraft = self._reception.links(), self._reception.aircraft()
        states = {number: self._state(link, aircraft.get(number, 0)) for number, link in links.items() if number > 0}
        self._last_seen |= {number: state.last_seen_at for number, state in states.items() if state.last_seen_at}
        self._runtime.bus.publish(Message(STATES, "states", encode(states), snapshot=True))
        self._notify_copied()
        if time.monotonic() - self._seen_at >= SEEN_EVERY_S:
            self._write_seen()

    def _state(self, link: Link, aircraft: int) -> FeederState:
        return FeederState(
            is_silent=link.silent_s >= SILENT_S,
            connected_since=link.since,
            last_seen_at=link.last_frame_at,
            address=link.address,
            messages_s=link.messages_s,
            positions_s=link.positions_s,
            aircraft=aircraft,
            bytes_s=link.bytes_s,
            disputes_share=self._reception.disputes_share(link.feeder_id),
            clock=link.clock,
            duplicates_share=self._reception.duplicates_share(link.feeder_id),
        )

    def _write_seen(self) -> None:
        self._seen_at = time.monotonic()
        seen, self._last_seen = self._last_seen, {}
        if not seen:
            return
        # One statement for all; a feeder that was deleted meanwhile is passed over.
        statement = sa.update(Feeder).where(Feeder.id == sa.bindparam("number"))
        rows = [{"number": number, "at": datetime.fromtimestamp(at, UTC)} for number, at in seen.items()]
        with writing(self._runtime.sessions) as session:
            session.connection().execute(statement.values(last_seen_at=sa.bindparam("at")), rows)

    def _notify_copied(self) -> None:
        now = time.monotonic()
        due = [n for n in self._hub.take_copied() if now - self._copied_at.get(n, -COPIED_EVERY_S) >= COPIED_EVERY_S]
        if not due:
            return
        with writing(self._runtime.sessions) as session:
            for number in due:
                self._copied_at[number] = now
                feeder = session.get(Feeder, number)
                if feeder is not None:
                    _notify_owner(session, feeder)


def _notify_owner(session: Session, feeder: Feeder) -> None:
    """Note in the record that two networks use one UUID, and send its owner and managers the event."""
    at = to_iso(utcnow())
    feeder.notice = {"kind": "uuid_copied", "at": at}
    data = msgspec.json.encode({"id": feeder.id, "name": feeder.name, "at": at})
    if feeder.owner_id is None:
        audience = Audience(needs=frozenset({MANAGE}))
    else:
        audience = Audience(users=frozenset({feeder.owner_id}), oversight=MANAGE)
    events.publish(session, Message(SYSTEM, UUID_COPIED, data, audience))
