"""The reference client of the real-time channel: ``async with Client(url, ...) as client: async for event in client``.

It needs nothing of the server: it reconnects with growing pauses, resumes where it stopped, renews its token in
time, and can hold the list of aircraft for its user.
"""

from __future__ import annotations

from skywatch.client.channel import Client, Event, Refused
from skywatch.client.picture import AircraftList
from skywatch.client.tokens import FixedToken, LoginTokens, TokenSource

__all__ = ["AircraftList", "Client", "Event", "FixedToken", "LoginTokens", "Refused", "TokenSource"]
