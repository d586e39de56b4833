"""The locations of users: stored on the bus until they expire, never in the database."""

from __future__ import annotations

import msgspec

from skywatch.cannonball import topics
from skywatch.core.bus import Bus
from skywatch.core.bus.base import Message

PREFIX = "cannonball:location:"


class Location(msgspec.Struct, frozen=True):
    """A user's position and movement as sent by the client; ``at`` is in unix seconds."""

    user_id: int
    lat: float
    lon: float
    radius_nm: float
    at: float
    expires_at: float
    heading: float | None = None
    speed_kt: float | None = None


_decoder = msgspec.json.Decoder(Location)


class LocationStore:
    """Locations on the bus; raises BusError if the bus cannot be reached."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    def put(self, location: Location) -> None:
        """Start or refresh a user's location until ``expires_at``."""
        data = msgspec.json.encode(location)
        self._bus.put(f"{PREFIX}{location.user_id}", data, max(0.001, location.expires_at - location.at))
        self._bus.publish(Message(topics.LOCATIONS, "put", data))

    def get(self, user_id: int) -> Location | None:
        """A user's location, or None."""
        data = self._bus.get(f"{PREFIX}{user_id}")
        return decode(data) if data is not None else None

    def delete(self, user_id: int) -> None:
        """End a user's location."""
        self._bus.delete(f"{PREFIX}{user_id}")
        self._bus.publish(Message(topics.LOCATIONS, "delete", str(user_id).encode()))

    def all(self) -> list[Location]:
        """The locations of all users."""
        locations = [decode(data) for data in self._bus.items(PREFIX).values()]
        return [location for location in locations if location is not None]


def decode(data: bytes) -> Location | None:
    """Decode a location; None if it was encoded by an incompatible version."""
    try:
        return _decoder.decode(data)
    except msgspec.MsgspecError:
        return None
