"""Where a request comes from: the client's address and scheme, from a proxy's headers only where it is trusted."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from pyramid.config import Configurator
from pyramid.request import Request
from pyramid.response import Response

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# One customer is given a whole IPv6 /64 and can use any address in it; an IPv4 client has one address.
IPV6_CLIENT_BITS = 64
# The neighbourhood that counts as "the same place" where a login is judged by where it comes from.
IPV4_PLACE_BITS = 24


def parse_address(text: str) -> Address | None:
    """An IP address, or None; IPv4 within IPv6 comes out as IPv4, zones and ports are left off."""
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


def real_address(remote: str, forwarded_for: str, trusted: Sequence[Network]) -> str:
    """The client's address: the last one in the chain of ``X-Forwarded-For`` that no trusted proxy has.

    What stands before it was written by the client and could be anything.
    """
    chain = [part for part in forwarded_for.split(",") if part.strip()]
    found = parse_address(remote)
    while found is not None and _is_trusted(found, trusted) and chain:
        before = parse_address(chain.pop())
        if before is None:
            break
        found = before
    return str(found) if found is not None else remote


@lru_cache(maxsize=4096)
def client_network(address: str) -> str:
    """What limits count as one client: an IPv4 address or an IPv6 /64."""
    return _network(address, 32)


def place(address: str) -> str:
    """The neighbourhood of an address: an IPv4 /24 or an IPv6 /64."""
    return _network(address, IPV4_PLACE_BITS)


def _network(address: str, ipv4_bits: int) -> str:
    parsed = parse_address(address)
    if parsed is None:
        return "unknown"
    bits = ipv4_bits if parsed.version == 4 else IPV6_CLIENT_BITS
    return str(ipaddress.ip_network((parsed, bits), strict=False))


def _is_trusted(address: Address, trusted: Sequence[Network]) -> bool:
    return any(address.version == network.version and address in network for network in trusted)


def client_tween(handler: Callable[[Request], Response], registry: Any) -> Callable[[Request], Response]:
    """Set ``request.client_address``, and the scheme that the client used."""
    trusted = [ipaddress.ip_network(text) for text in registry["runtime"].settings.trusted_proxy]

    def tween(request: Request) -> Response:
        remote = request.environ.get("REMOTE_ADDR", "")
        forwarded_for = request.environ.get("HTTP_X_FORWARDED_FOR", "")
        request.client_address = real_address(remote, forwarded_for, trusted) if trusted else remote
        proxy = parse_address(remote) if trusted else None
        if proxy is not None and _is_trusted(proxy, trusted):
            scheme = request.environ.get("HTTP_X_FORWARDED_PROTO", "").strip().lower()
            if scheme in ("http", "https"):
                request.environ["wsgi.url_scheme"] = scheme
        return handler(request)

    return tween


def includeme(config: Configurator) -> None:
    config.add_request_method(lambda request: request.environ.get("REMOTE_ADDR", ""), "client_address", reify=True)
