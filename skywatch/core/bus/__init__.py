"""The bus between the parts of the system: events, the last snapshot of each topic, and small values that expire.

``open_bus`` gives the implementation that the setting names. One test suite runs against every one of them.

Not here: messages that are kept in the database for whoever missed them (`core/events.py`).
"""

from __future__ import annotations

from skywatch.core.bus.base import OUTAGE, Audience, Bus, BusAwayError, BusError, Form, Message, Subscription
from skywatch.settings.bus_address import BusAddress, parse_bus_address

__all__ = ["OUTAGE", "Audience", "Bus", "BusAwayError", "BusError", "Form", "Message", "Subscription", "open_bus"]


def open_bus(address: str, prefix: str = "") -> Bus:
    """The bus of the settings ``bus`` and ``bus_prefix``; raises BusError where it cannot be used."""
    try:
        parsed = parse_bus_address(address, prefix)
    except ValueError as error:
        raise BusError(f"setting bus: {error}") from None
    if parsed.kind == "memory":
        from skywatch.core.bus.memory import MemoryBus

        return MemoryBus()
    if parsed.kind == "nats":
        return _open_nats(parsed)
    try:
        from skywatch.core.bus.redis.bus import RedisBus
    except ModuleNotFoundError:
        raise BusError("setting bus: Redis needs a package that is not installed; try pip install redis") from None
    return RedisBus(parsed)


def _open_nats(address: BusAddress) -> Bus:
    try:
        from skywatch.core.bus.nats.bus import NatsBus
    except ModuleNotFoundError:
        raise BusError("setting bus: NATS needs a package that is not installed; try pip install nats-py") from None
    return NatsBus(address)
