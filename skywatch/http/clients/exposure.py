"""Where the service listens, and whether mode ``public`` opens it to more than this machine.

The start of a process, the console and ``skywatch doctor`` ask here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skywatch.core.network.addresses import is_loopback
from skywatch.http.settings import HttpSettings
from skywatch.settings import Settings, split_listen

ADVICE = "set auth_mode = hybrid, or listen on 127.0.0.1 behind a proxy that asks who is there"


def listen_addresses(settings: Settings, roles: Sequence[str]) -> dict[str, str]:
    """The addresses that these roles listen on, by setting."""
    http = settings.of(HttpSettings)
    addresses = {}
    if "api" in roles:
        addresses["listen"] = http.listen
    if "realtime" in roles:
        addresses["realtime_listen"] = http.realtime_listen
    return addresses


def exposure(settings: Settings, addresses: Mapping[str, str]) -> str | None:
    """One line where ``auth_mode = public`` meets addresses that are not loopback; else None."""
    open_ones = beyond_loopback(addresses)
    if settings.auth_mode != "public" or not open_ones:
        return None
    return f"auth_mode = public with {' and '.join(open_ones)}: whoever reaches this address needs no credentials"


def beyond_loopback(addresses: Mapping[str, str]) -> list[str]:
    """The addresses that others than this machine may reach, as ``setting = value``."""
    return [f"{name} = {text}" for name, text in addresses.items() if not is_loopback(split_listen(text)[0])]
