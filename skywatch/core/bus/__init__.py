"""The bus between the parts of the system: events, the last snapshot of each topic, and small values that expire.

``open_bus`` gives the implementation that the setting names. One test suite runs against every one of them.
"""

from __future__ import annotations

from skywatch.core.bus.base import OUTAGE, Audience, Bus, BusAwayError, BusError, Form, Message, Subscription

__all__ = ["OUTAGE", "Audience", "Bus", "BusAwayError", "BusError", "Form", "Message", "Subscription", "open_bus"]


def open_bus(address: str) -> Bus:
    """The bus of the setting ``bus``: ``memory`` or a Redis URL; raises BusError where it cannot be reached."""
    if address == "memory":
        from skywatch.core.bus.memory import MemoryBus

        return MemoryBus()
    try:
        from skywatch.core.bus.redis import RedisBus
    except ModuleNotFoundError:
        raise BusError("setting bus: Redis needs a package that is not installed; try pip install redis") from None
    return RedisBus(address)
