"""IP addresses of clients: how they are read, which belong to trusted proxies, what counts as one client.

The one module for it: the REST API, the real-time channel and the inputs that listen all ask here.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# One customer is given a whole IPv6 /64 and can use any address in it; an IPv4 client has one address.
IPV6_CLIENT_BITS = 64
# The most that a provider gives a site (RFC 6177).
IPV6_SITE_BITS = 48
# What is limited by client allows a site so many times as much.
SITE_FACTOR = 4
# A host as requests name it, with its port: an IPv6 address in brackets, an IPv4 address or a name.
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~-]+)(?::[0-9]*)?")
# What proxies add: who comes by one is not on this machine, trusted or not.
FORWARDING_HEADERS = (
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-prefix",
    "x-forwarded-proto",
    "x-ingress-path",
    "x-real-ip",
)
# The network that counts as the same one where a login is judged by where it comes from.
IPV4_NETWORK_BITS = 24


@lru_cache(maxsize=4096)
def parse_address(text: str) -> Address | None:
    """An IP address, or None; IPv4 within IPv6 comes out as IPv4, brackets, zones and ports are left off."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped if mapped is not None else address


@lru_cache(maxsize=4096)
def is_loopback(host: str) -> bool:
    """Whether a host (an address or a name) is this machine alone; names are not resolved (RFC 6761, section 6.3)."""
    address = parse_address(host)
    if address is None:
        return host.lower().rstrip(".") == "localhost" or host.lower().rstrip(".").endswith(".localhost")
    return address.is_loopback


def host_of(authority: str) -> str:
    """The host in a ``Host`` header field (RFC 9110, section 7.2), without its port; empty if it is malformed."""
    match = _AUTHORITY.fullmatch(authority.strip())
    return match[1] if match is not None else ""


def in_networks(address: Address, networks: Iterable[Network]) -> bool:
    """Whether an address belongs to one of the networks."""
    return any(address.version == network.version and address in network for network in networks)


class TrustedProxies:
    """The proxies of the setting ``trusted_proxy``, whose ``X-Forwarded-*`` headers are trusted."""

    def __init__(self, networks: Iterable[str]) -> None:
        self._networks = tuple(_plain_network(text) for text in networks)

    def __contains__(self, peer: str) -> bool:
        if not self._networks:
            return False
        address = parse_address(peer)
        return address is not None and in_networks(address, self._networks)

    def client_address(self, peer: str, forwarded_for: str | None) -> str:
        """The client's address: the last one in the chain of ``X-Forwarded-For`` that no trusted proxy has.

        What stands before it was written by the client and could be anything.
        """
        address = parse_address(peer)
        if address is None:
            return peer
        chain = (forwarded_for or "").split(",") if self._networks else []
        while chain and in_networks(address, self._networks):
            text = chain.pop()
            if not text.strip():
                continue
            before = parse_address(text)
            if before is None:
                break
            address = before
        return _text(address)


@lru_cache(maxsize=4096)
def _text(address: Address) -> str:
    return str(address)


@lru_cache(maxsize=4096)
def client_network(address: str) -> str:
    """What limits count as one client: an IPv4 address or an IPv6 /64."""
    return _network(address, 32)


@lru_cache(maxsize=4096)
def ipv6_site(network: str) -> str:
    """The IPv6 /48 that a network of ``client_network`` is part of; empty for whatever else limits count by.

    Who has a /48 has 65,536 networks; an IPv4 client has its addresses one by one.
    """
    site = site_of(network) if ":" in network else network
    return site if site != network else ""


def site_of(network: str) -> str:
    """The IPv4 /24 or IPv6 /48 that a smaller network, such as that of ``client_network``, is part of.

    A provider gives a site no less, so that who has one address of it has them all.
    """
    try:
        parsed = _plain_network(network)
    except ValueError:
        return network
    bits = IPV4_NETWORK_BITS if parsed.version == 4 else IPV6_SITE_BITS
    return str(parsed.supernet(new_prefix=min(bits, parsed.prefixlen)))


def network_of(address: str) -> str:
    """The network that an address is judged by: an IPv4 /24 or an IPv6 /64."""
    return _network(address, IPV4_NETWORK_BITS)


def _network(address: str, ipv4_bits: int) -> str:
    parsed = parse_address(address)
    if parsed is None:
        return "unknown"
    bits = ipv4_bits if parsed.version == 4 else IPV6_CLIENT_BITS
    return str(ipaddress.ip_network((parsed, bits), strict=False))


def _plain_network(text: str) -> Network:
    """A network; one of IPv4 addresses written as IPv6 (``::ffff:10.0.0.0/104``) comes out as IPv4."""
    network = ipaddress.ip_network(text, strict=False)
    if isinstance(network, ipaddress.IPv6Network) and network.prefixlen >= 96:
        mapped = network.network_address.ipv4_mapped
        if mapped is not None:
            return ipaddress.ip_network((mapped, network.prefixlen - 96))
    return network
