"""Which hosts may be asked: those of the own private networks (RFC 1918), at most the /24 around each own address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network
from itertools import chain, zip_longest

from skywatch.core.network.interfaces import Interface, private_networks


def networks_of(interfaces: Iterable[Interface]) -> list[IPv4Network]:
    """The networks that may be asked, each once."""
    return [network for network in private_networks(interfaces) if isinstance(network, IPv4Network)]


def hosts_of(networks: Iterable[IPv4Network]) -> list[IPv4Address]:
    """The hosts of the networks, by turns, so that a round that ends early has asked some of each."""
    turns: Iterator[tuple[IPv4Address | None, ...]] = zip_longest(*(network.hosts() for network in networks))
    return list(dict.fromkeys(host for host in chain.from_iterable(turns) if host is not None))
