"""The locations of all users in the tracker, with velocities computed from consecutive fixes."""

from __future__ import annotations

import logging
import queue
from collections.abc import Collection, Set
from dataclasses import dataclass

from skywatch.cannonball import topics
from skywatch.cannonball.location import Location, LocationStore, decode
from skywatch.cannonball.tracker.geometry import STILL, Velocity, velocity_between, velocity_of
from skywatch.core.bus import Bus, BusError
from skywatch.core.bus.base import Message
from skywatch.core.database.engine import SessionFactory
from skywatch.core.geo import distance_nm
from skywatch.notify.user_rights import visibilities
from skywatch.security.permissions import Permission
from skywatch.settings import Settings

log = logging.getLogger(__name__)

# Time between two fixes from which a velocity is computed (s).
FIX_MIN_S, FIX_MAX_S = 1.0, 180.0
# Largest speed of a user (kt): a fix that would need more is a jump.
MAX_USER_SPEED_KT = 700.0
# Error of a fix (nm) below which a short step does not count as a jump.
FIX_ERROR_NM = 1.0


@dataclass(frozen=True)
class TrackedUser:
    """A user's location and velocity; ``epoch`` is incremented at each jump, so that smoothing restarts."""

    location: Location
    velocity: Velocity
    epoch: int = 0


def moved(before: TrackedUser | None, location: Location) -> TrackedUser:
    """The user after a new fix."""
    reported = None
    if location.speed_kt is not None and location.heading is not None:
        reported = velocity_of(location.speed_kt, location.heading)
    if before is None:
        return TrackedUser(location, reported or STILL)
    last = before.location
    seconds = location.at - last.at
    step_nm = float(distance_nm(last.lat, last.lon, location.lat, location.lon))
    if step_nm > FIX_ERROR_NM + MAX_USER_SPEED_KT * max(seconds, 0.0) / 3600.0:
        return TrackedUser(location, reported or STILL, before.epoch + 1)
    if reported is None and FIX_MIN_S <= seconds <= FIX_MAX_S:
        reported = velocity_between(last.lat, last.lon, location.lat, location.lon, seconds)
    return TrackedUser(location, reported if reported is not None else before.velocity, before.epoch)


def end_forbidden(users: Set[int], store: LocationStore, sessions: SessionFactory, settings: Settings) -> None:
    """End the locations of those ``users`` who were deleted or deactivated or may no longer use the feature."""
    if not users:
        return
    with sessions() as db:
        rights = visibilities(db, settings, users)
    for user_id in users:
        if user_id not in rights or Permission.CANNONBALL_VIEW not in rights[user_id].permissions:
            store.delete(user_id)


class LocationCache:
    """The locations on the bus; changes are queued until the tracker's thread calls ``update``."""

    def __init__(self, bus: Bus) -> None:
        self._store = LocationStore(bus)
        self._changes: queue.SimpleQueue[Location | int | tuple[Location, ...]] = queue.SimpleQueue()
        self.users: dict[int, TrackedUser] = {}
        self._subscription = bus.subscribe([topics.LOCATIONS], self._on_message, self._read_all)

    def replace(self, locations: Collection[Location]) -> None:
        """These are all locations; they apply at the next ``update``."""
        self._changes.put(tuple(locations))

    def update(self, now: float) -> set[int]:
        """Apply queued changes and drop locations that expired by ``now`` (unix s).

        Returns the users of whom there was a location or the end of one.
        """
        updated: set[int] = set()
        while not self._changes.empty():
            change = self._changes.get()
            if isinstance(change, tuple):
                present = {location.user_id for location in change}
                for user_id in [u for u in self.users if u not in present]:
                    del self.users[user_id]
                for location in change:
                    self._apply(location)
                updated |= present
            elif isinstance(change, Location):
                self._apply(change)
                updated.add(change.user_id)
            else:
                self.users.pop(change, None)
                updated.add(change)
        for user_id in [u for u, user in self.users.items() if user.location.expires_at <= now]:
            del self.users[user_id]
        return updated

    def close(self) -> None:
        """Close the subscription."""
        self._subscription.close()

    def _read_all(self) -> None:
        try:
            self.replace(self._store.all())
        except BusError as error:
            log.warning("locations cannot be read: %s", error)

    def _on_message(self, message: Message) -> None:
        if message.event == "delete":
            self._changes.put(int(message.data))
        elif (location := decode(message.data)) is not None:
            self._changes.put(location)

    def _apply(self, location: Location) -> None:
        before = self.users.get(location.user_id)
        if before is None or location.at > before.location.at:
            self.users[location.user_id] = moved(before, location)
