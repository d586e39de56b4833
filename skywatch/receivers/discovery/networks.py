"""Which hosts may be asked: at most the /24 around each own address, in private networks (RFC 1918) alone.

Public addresses, link-local ones (169.254.0.0/16), this machine's loopback and networks of containers are never asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network
from itertools import chain, zip_longest

from skywatch.receivers.discovery.interfaces import Interface

PRIVATE = tuple(IPv4Network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
WIDEST_BITS = 24


def networks_of(interfaces: Iterable[Interface]) -> list[IPv4Network]:
    """The networks that may be asked, each once."""
    closed = [interface.address.network for interface in interfaces if interface.is_closed]
    networks = []
    for interface in interfaces:
        if interface.is_closed or not is_private(interface.address.ip):
            continue
        bits = max(interface.address.network.prefixlen, WIDEST_BITS)
        network = IPv4Network((interface.address.ip, bits), strict=False)
        # Within a wide network of our own there may be one of containers.
        if not any(network.overlaps(other) for other in closed if is_private(other.network_address)):
            networks.append(network)
    return list(dict.fromkeys(networks))


def hosts_of(networks: Iterable[IPv4Network]) -> list[IPv4Address]:
    """The hosts of the networks, by turns, so that a round that ends early has asked some of each."""
    turns: Iterator[tuple[IPv4Address | None, ...]] = zip_longest(*(network.hosts() for network in networks))
    return list(dict.fromkeys(host for host in chain.from_iterable(turns) if host is not None))


def is_private(address: IPv4Address) -> bool:
    """Whether an address is of a private network (RFC 1918)."""
    return any(address in network for network in PRIVATE)
