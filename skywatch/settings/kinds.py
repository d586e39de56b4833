"""The texts that settings are written as, where a type alone does not say it; each raises ValueError."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping

from skywatch.sentences import sentence
from skywatch.settings.bus_address import PREFIX, parse_bus_address

_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def parse_boolean(text: str) -> bool:
    """``true`` or ``false``, and the other words for them, in any case."""
    if text.lower() not in _TRUTH:
        raise ValueError(sentence("settings.boolean", "expected true or false"))
    return _TRUTH[text.lower()]


# The spellings of the units of a rate.
_UNITS = {
    spelling: unit
    for unit, spellings in {"second": "s sec", "minute": "m min", "hour": "h", "day": "d"}.items()
    for spelling in (unit, f"{unit}s", *spellings.split())
}


def parse_rate(text: str) -> str:
    """``100/minute``, ``3/min``, ``10/15 minute`` and the like: a count and one or several units, spelled in full."""
    match = re.fullmatch(r"([1-9][0-9]{0,8})\s*/\s*([1-9][0-9]{0,3}\s*)?([a-z]+)", text.lower())
    if match is None or match[3] not in _UNITS:
        raise ValueError(sentence("settings.rate", "expected a rate such as 100/minute or 10/15 minute"))
    return f"{match[1]}/{match[2].strip() + ' ' if match[2] else ''}{_UNITS[match[3]]}"


def parse_network(text: str) -> str:
    """An address or network such as ``10.0.0.0/8``; host bits must be zero."""
    ipaddress.ip_network(text)
    return text


def parse_networks(text: str) -> tuple[str, ...]:
    """Addresses and networks, separated by spaces or commas."""
    return tuple(parse_network(item) for item in re.split(r"[\s,]+", text) if item)


def parse_origin(text: str) -> str:
    """A web origin: scheme, host and perhaps a port, without a path (RFC 6454)."""
    if not re.fullmatch(r"https?://(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?", text):
        raise ValueError(sentence("settings.origins", "expected origins such as https://radar.example.org"))
    return text.lower()


def parse_origins(text: str) -> tuple[str, ...]:
    """Web origins, separated by spaces or commas."""
    return tuple(parse_origin(item) for item in re.split(r"[\s,]+", text) if item)


def parse_listen(text: str) -> str:
    """``host:port`` (IPv6 hosts in brackets); port 0 lets the system choose."""
    host, port = split_listen(text)
    if not host:
        raise ValueError(sentence("settings.host_port", "expected host:port, such as 127.0.0.1:6543"))
    if not 0 <= port <= 65535:
        raise ValueError(sentence("settings.port", "the port must be between 0 and 65535"))
    return text


def environment_secret(variable: str, environ: Mapping[str, str] | None = None) -> str | None:
    """A secret that a setting refers to by the name of its environment variable, so that it stands in no file."""
    return (os.environ if environ is None else environ).get(variable)


def split_listen(text: str) -> tuple[str, int]:
    """Host and port of a ``host:port`` text; raises ValueError where it is not one."""
    match = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^\s:]+):([0-9]{1,5})", text)
    if not match:
        raise ValueError(sentence("settings.host_port", "expected host:port, such as 127.0.0.1:6543"))
    return match.group(1).strip("[]"), int(match.group(2))


def parse_path(text: str) -> str:
    """An absolute URL path without a trailing slash."""
    if not re.fullmatch(r"/[A-Za-z0-9_./-]*[A-Za-z0-9_-]", text):
        raise ValueError(sentence("settings.absolute_path", "expected an absolute path such as /ws"))
    return text


def parse_bus(text: str) -> str:
    """An address that ``parse_bus_address`` accepts."""
    parse_bus_address(text)
    return text


def parse_bus_prefix(text: str) -> str:
    """What names on the bus begin with; empty is the default."""
    if text and not PREFIX.fullmatch(text):
        raise ValueError(sentence("settings.identifier", "expected letters, digits, - and _, at most 64 of them"))
    return text
