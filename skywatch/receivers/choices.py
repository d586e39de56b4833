"""The kinds of receivers that people choose from: what each is, its port, and its setting made of a host and a port.

Whatever a choice cannot express (another path, options, other kinds) is entered as in the ini file.
"""

from __future__ import annotations

import re
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from skywatch.inputs.options import join_address, parse_address
from skywatch.receivers.discovery.probes import TAR1090
from skywatch.sentences import sentence

HTTP_PORT = 80
DOCUMENT = "/aircraft.json"
# Where the pages of receivers have their list of aircraft; any other path can be entered.
PATHS = ("/tar1090/data", "/skyaware/data", "/data", "/dump1090-fa/data")
_PATH = re.compile(r"/[A-Za-z0-9._~/-]{0,200}")
_HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,252})")


class Choice(NamedTuple):
    """A kind of receiver, with a sentence for people and the port that programs of this kind use."""

    kind: str
    title: str
    about: str
    port: int

    def text(self, host: str, port: int, path: str = "") -> str:
        """The setting of a receiver at a host and port; ``path`` is that of a list, its folder or a page."""
        if self.kind != "readsb":
            return f"{self.kind} {join_address(host, port)}"
        bracketed = f"[{host}]" if ":" in host else host
        path = path or TAR1090
        whole = f"{path}{DOCUMENT}" if path.endswith("/data") else path
        return f"readsb http://{bracketed if port == HTTP_PORT else join_address(host, port)}{whole}"


class Place(NamedTuple):
    """What an address holds that somebody pasted; empty where it says nothing, ``text`` where it is more than that."""

    kind: str = ""
    host: str = ""
    port: str = ""
    path: str = ""
    text: str = ""


CHOICES = (
    Choice("beast", "Beast", "Raw messages of readsb, dump1090 or a Mode-S Beast: the most exact source.", 30005),
    Choice("readsb", "tar1090 or readsb over HTTP", "The list of aircraft that a tar1090 page reads.", HTTP_PORT),
    Choice("sbs", "BaseStation (SBS)", "Lines of text that nearly every receiver program sends.", 30003),
    Choice("avr", "AVR", "Raw messages as lines of text, where there is no Beast port.", 30002),
    Choice("readsb-lines", "readsb JSON lines", "One line for each position, from readsb's own JSON port.", 30047),
)
BY_KIND = {choice.kind: choice for choice in CHOICES}


def read_host(text: str) -> str:
    """The host that people entered; raises ValueError with a reason for them."""
    text = text.strip()
    try:
        address = ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        if _HOST_NAME.fullmatch(text):
            return text
        raise ValueError(
            sentence("receiver.host_alone", "must be a name or an address alone, without http://, port and path")
        ) from None
    if isinstance(address, IPv6Address) and address.scope_id:
        raise ValueError(sentence("receiver.no_zone", "must be an address without a zone"))
    return str(address)


def take_apart(text: str) -> Place | None:
    """The parts of an address such as ``http://pi:8080/skyaware/`` or ``pi:30005``; None for a host alone."""
    text = text.strip()
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname or " " in text or not (parts.scheme or port or parts.path):
        return None
    if parts.scheme in ("http", "https") or parts.path.strip("/"):
        return _page(text, parts, port)
    return Place(host=parts.hostname, port="" if port is None else str(port))


def _page(text: str, parts: SplitResult, port: int | None) -> Place:
    if parts.scheme == "https" or parts.username or parts.query:
        return Place(kind="readsb", text=f"readsb {text}")
    path = parts.path.removesuffix(DOCUMENT)
    path = "" if path in ("", "/") or path == PATHS[0] else path
    return Place("readsb", parts.hostname or "", str(port or HTTP_PORT), path)


def read_path(text: str) -> str:
    """The path that people entered, empty for the usual one; raises ValueError with a reason for them."""
    text = text.strip().rstrip("/")
    if text and not _PATH.fullmatch(text):
        raise ValueError(sentence("receiver.path", "must be a path such as /skyaware/data"))
    return text


def parse(text: str) -> tuple[Choice, str, int, str] | None:
    """The choice, host, port and path that a setting is made of; None where it is more than that."""
    kind, _, rest = text.strip().partition(" ")
    choice = BY_KIND.get(kind)
    if choice is None:
        return None
    path = ""
    try:
        if kind == "readsb":
            parts = urlsplit(rest)
            host, port = parts.hostname or "", parts.port or HTTP_PORT
            path = read_path(parts.path.removesuffix(DOCUMENT))
            path = "" if path == PATHS[0] else path
        else:
            host, port = parse_address(rest)
        host = read_host(host)
    except ValueError:
        return None
    return (choice, host, port, path) if choice.text(host, port, path) == text.strip() else None
