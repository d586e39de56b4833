"""The private networks of this machine that channels may reach: allowed and withdrawn by administrators in the console.

Only a network that this machine has an interface in may be allowed, at most a /24 or a /64 around its address, never
one of containers: behind such a bridge the ini file's ``notify_allow_networks`` is the way.
"""

from __future__ import annotations

import socket
from ipaddress import ip_address, ip_network

from sqlalchemy.orm import Session

from skywatch.core import stored_settings
from skywatch.core.network import interfaces
from skywatch.core.network.targets import read_literal
from skywatch.core.problems import invalid, not_found
from skywatch.core.storage.audit import Actor
from skywatch.notify.settings import NotifySettings
from skywatch.sentences import sentence
from skywatch.settings import Settings

SETTING = "notify_own_networks"


def own_networks() -> list[str]:
    """The networks that may be allowed here."""
    return [str(network) for network in interfaces.private_networks(interfaces.own_interfaces())]


def network_of(host: str) -> str | None:
    """The private network around a host (an address or a name), a /24 or a /64; None where it is in none."""
    literal = read_literal(host)
    if literal is not None:
        addresses = [literal]
    else:
        try:
            rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return None
        addresses = [ip_address(str(row[4][0]).partition("%")[0]) for row in rows]
    for address in addresses:
        if interfaces.is_private(address):
            own = [network for network in map(ip_network, own_networks()) if network.version == address.version]
            around = ip_network((address, interfaces.WIDEST_BITS[address.version]), strict=False)
            return str(next((network for network in own if address in network), around))
    return None


def allow(session: Session, settings: Settings, actor: Actor, network: str) -> None:
    """Let channels reach an own network; raises Problem (400) for any other, 409 where the ini file sets this."""
    if network not in own_networks():
        raise invalid(
            "network", sentence("notify.not_own_network", "is no private network that this machine has an interface in")
        )
    _store(session, settings, actor, [*_stored(session, settings), network])


def withdraw(session: Session, settings: Settings, actor: Actor, network: str) -> None:
    """Allow a network no more; raises Problem (404) where it is not allowed here."""
    networks = _stored(session, settings)
    if network not in networks:
        raise not_found(sentence("thing.network", "network"))
    _store(session, settings, actor, [one for one in networks if one != network])


def _stored(session: Session, settings: Settings) -> list[str]:
    row = stored_settings.read(session, settings).get(SETTING)
    return (row.text or "").split() if row is not None else []


def _store(session: Session, settings: Settings, actor: Actor, networks: list[str]) -> None:
    text = " ".join(dict.fromkeys(networks)) or None
    stored_settings.change(session, settings, actor, {SETTING: text})


def allowed_in_file(settings: Settings) -> tuple[str, ...]:
    """The networks that the ini file or the environment allows."""
    return settings.of(NotifySettings).allowed_networks
