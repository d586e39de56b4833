"""The address of the bus: which server it is, where, and what names of this installation begin with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlunsplit

Kind = Literal["memory", "redis", "sentinel", "nats"]
KINDS: dict[str, Kind] = {
    "redis": "redis",
    "rediss": "redis",
    "unix": "redis",
    "redis+sentinel": "sentinel",
    "rediss+sentinel": "sentinel",
    "nats": "nats",
    "tls+nats": "nats",
}
DEFAULT_PORTS = {"sentinel": 26379, "nats": 4222}
DEFAULT_PREFIX = "skywatch"
# What keys, channels and subjects of every bus may contain.
PREFIX = re.compile(r"[A-Za-z0-9_-]{1,64}")
# Options of the address by kind; those of a single Redis are redis-py's own.
_OPTIONS = {"sentinel": {"sentinel_username", "sentinel_password"}, "nats": {"ca_file"}}


class Host(NamedTuple):
    """A server's name or address, and its port."""

    name: str
    port: int


@dataclass(frozen=True, repr=False)
class BusAddress:
    """The setting ``bus``, parsed. ``url`` is a single Redis' address without the prefix; it may contain a password.

    ``service`` and ``database`` are Sentinel's name of the master and the number of its database.
    """

    kind: Kind
    prefix: str = DEFAULT_PREFIX
    url: str = ""
    hosts: tuple[Host, ...] = ()
    is_tls: bool = False
    username: str | None = None
    password: str | None = None
    service: str = ""
    database: int = 0
    options: tuple[tuple[str, str], ...] = ()

    def option(self, name: str) -> str | None:
        """An option of the address's query."""
        return dict(self.options).get(name)


def parse_bus_address(text: str, prefix: str = "") -> BusAddress:
    """The bus of an address; ``prefix`` counts where the address has none. Raises ValueError, without a password."""
    if text == "memory":
        return BusAddress("memory", prefix or DEFAULT_PREFIX)
    parts = _split(text)
    kind = KINDS.get(parts.scheme)
    if kind is None or "://" not in text:
        raise ValueError("expected memory, redis://, rediss://, unix://, redis+sentinel:// or nats://")
    query = parse_qsl(parts.query, keep_blank_values=True)
    prefix = ([value for name, value in query if name == "prefix"] or [prefix])[-1] or DEFAULT_PREFIX
    if not PREFIX.fullmatch(prefix):
        raise ValueError("a prefix is letters, digits, - and _, at most 64 of them")
    options = tuple((name, value) for name, value in query if name != "prefix")
    if kind == "redis":
        return BusAddress("redis", prefix, urlunsplit(parts._replace(query=urlencode(options))))
    _check_options(kind, options)
    return _several(parts, kind, prefix, options)


def _split(text: str) -> SplitResult:
    """The five parts of an address by RFC 3986, appendix B.

    ``urlsplit`` of newer Pythons refuses a list of servers in which one has brackets: what follows them is no port.
    """
    match = re.fullmatch(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", text, re.DOTALL)
    scheme, netloc, path, query, fragment = match.groups("") if match else ("",) * 5
    return SplitResult(scheme.lower(), netloc, path, query, fragment)


def _several(parts: SplitResult, kind: Kind, prefix: str, options: tuple[tuple[str, str], ...]) -> BusAddress:
    userinfo, _, hosts = parts.netloc.rpartition("@")
    username, _, password = userinfo.partition(":")
    service, database = _service(parts.path) if kind == "sentinel" else ("", 0)
    if kind == "nats" and parts.path.strip("/"):
        raise ValueError("a nats:// address has no path; several servers are separated by commas")
    return BusAddress(
        kind,
        prefix,
        # A host's own server may stand before a list that names it as well.
        hosts=tuple(dict.fromkeys(_host(host, DEFAULT_PORTS[kind]) for host in hosts.split(","))),
        is_tls=parts.scheme in ("rediss+sentinel", "tls+nats"),
        username=unquote(username) or None,
        password=unquote(password) or None,
        service=service,
        database=database,
        options=options,
    )


def _host(text: str, default_port: int) -> Host:
    """A host with or without a port; IPv6 in brackets."""
    match = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?", text)
    if match is None:
        raise ValueError(
            "expected a list of servers such as h1:26379,h2,h3" if text else "a server of the list is empty"
        )
    port = int(match.group(2) or default_port)
    if not 0 < port <= 0xFFFF:
        raise ValueError(f"{port} is no port")
    return Host(match.group(1).strip("[]"), port)


def _service(path: str) -> tuple[str, int]:
    service, _, database = path.removeprefix("/").partition("/")
    if not service:
        raise ValueError("Sentinel needs the master's name: redis+sentinel://h1,h2,h3/NAME")
    if database and not database.isdecimal():
        raise ValueError("the database behind Sentinel's name is a number")
    return unquote(service), int(database or 0)


def _check_options(kind: str, options: tuple[tuple[str, str], ...]) -> None:
    unknown = [name for name, _ in options if name not in _OPTIONS[kind]]
    if unknown:
        raise ValueError(f"unknown option {unknown[0]!r}; there is {', '.join(sorted(_OPTIONS[kind]))} and prefix")
