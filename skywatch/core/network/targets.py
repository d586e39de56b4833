"""Which addresses the service may connect to on behalf of its users.

A user who names an address must not reach what only the service can reach: itself, its network, its provider's
metadata. Only public unicast addresses are allowed, and those of networks that the administrator has named. An IPv4
address inside an IPv6 one (mapped, NAT64, 6to4, Teredo, ISATAP) is judged as well.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING

from skywatch.sentences import sentence

if TYPE_CHECKING:
    import httpx

# Refused targets are all answered in these words: they must not be a way to look around in the service's network.
NOT_ALLOWED = sentence(
    "notify.address_not_allowed",
    "The address is not allowed: it must be public, or in a network that an administrator has allowed for channels "
    "(notify_allow_networks, or Networks in the console).",
)
MAX_ADDRESS = 2000
Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_UNICAST = IPv6Network("2000::/3")
_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
# What Python's tables of this or an older version call global: 6to4 relays (RFC 7526), documentation (RFC 9637),
# Teredo, whose address hides two others, ORCHID and benchmarking.
_OTHERS: tuple[Network, ...] = tuple(
    map(
        ip_network,
        ("192.88.99.0/24", "192.0.0.0/24", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "168.63.129.16/32"),
    )
)
_LOCAL_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")


class AddressRefused(Exception):
    """The address is none that may be reached; ``str()`` is the same whatever is wrong with it."""

    def __init__(self) -> None:
        super().__init__(NOT_ALLOWED)


class TargetPolicy:
    """The public internet, and the networks that the administrator allows in addition.

    ``networks`` may be a function, where they change at run time.
    """

    def __init__(self, networks: Iterable[str] | Callable[[], Iterable[str]] = ()) -> None:
        fixed = () if callable(networks) else tuple(networks)
        self._networks = networks if callable(networks) else lambda: fixed

    def allows(self, address: Address) -> bool:
        """Whether a connection to this address may be made."""
        inner = _inner(address)
        if self._is_named(address) or (inner is not None and self._is_named(inner)):
            return True
        if inner is not None:
            outer_is_plain = address in _MAPPED or address in _NAT64 or _is_public(address)
            return outer_is_plain and _is_public(inner)
        return _is_public(address)

    def check_host(self, host: str) -> None:
        """Raise AddressRefused for a host that is plainly refused, before its name is looked up."""
        literal = read_literal(host)
        if literal is None:
            name = host.rstrip(".").lower()
            if name in _LOCAL_NAMES or name.endswith(".localhost"):
                literal = IPv4Address("127.0.0.1")
        if literal is not None and not self.allows(literal):
            raise AddressRefused

    def _is_named(self, address: Address) -> bool:
        networks = map(ip_network, self._networks())
        return any(address.version == network.version and address in network for network in networks)


def read_url(address: str, schemes: Iterable[str] = ("https", "http")) -> httpx.URL:
    """An address with a host and nothing hidden in it; raises AddressRefused for any other."""
    if len(address) > MAX_ADDRESS or not address.isascii() or not address.isprintable() or set(address) & {" ", "\\"}:
        raise AddressRefused
    import httpx

    try:
        url = httpx.URL(address)
        port = url.port
    except (httpx.InvalidURL, ValueError):
        raise AddressRefused from None
    authority = address.partition("://")[2].split("/")[0].split("?")[0].split("#")[0]
    if url.scheme not in schemes or not url.host or set(authority) & {"@", "%"}:
        raise AddressRefused
    if port is not None and not 0 < port < 65536:
        raise AddressRefused
    return url


def read_literal(host: str) -> Address | None:
    """The address that a host is written as, also in the old forms (``127.1``, ``0x7f000001``, ``017700000001``)."""
    text = host.strip("[]").rstrip(".")
    try:
        return ip_address(text)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(text)) if text and set(text) <= set("0123456789abcdefxABCDEFX.") else None
    except OSError:
        return None


def _inner(address: Address) -> IPv4Address | None:
    """The IPv4 address within an IPv6 one."""
    if isinstance(address, IPv4Address):
        return None
    number = int(address)
    if address in _SIX_TO_FOUR:
        return IPv4Address((number >> 80) & 0xFFFFFFFF)
    isatap = (number >> 32) & 0xFFFFFFFF in (0x00005EFE, 0x02005EFE)
    if address in _MAPPED or address in _NAT64 or isatap:
        return IPv4Address(number & 0xFFFFFFFF)
    return None


def _is_public(address: Address) -> bool:
    if any(address.version == network.version and address in network for network in _OTHERS):
        return False
    if isinstance(address, IPv6Address) and address not in _UNICAST:
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)
