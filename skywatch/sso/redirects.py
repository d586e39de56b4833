"""Which redirect addresses a sign-on may be asked to end at: exactly the registered ones, and loopback ones.

Addresses are compared as text (RFC 9700, section 2.1); only the port of a loopback address is free (RFC 8252,
section 7.3). Nothing is normalised first, for whatever two parsers read differently is how an address slips by.
"""

from __future__ import annotations

import re
from collections.abc import Collection

MAX_LENGTH = 1024
# ``localhost`` is a name that another host may answer for; RFC 8252, section 8.3 advises the literal addresses.
LOOPBACK = re.compile(
    r"http://(?:127\.0\.0\.1|\[::1\]|localhost)(?::(?P<port>[1-9][0-9]{0,4}))?(?:/[A-Za-z0-9._~/-]*)?"
)
REGISTERED = re.compile(r"[a-z][a-z0-9+.-]*:/{0,2}[!-~]+")


def is_loopback(address: str) -> bool:
    """Whether a plain address ends on the caller's own machine."""
    match = LOOPBACK.fullmatch(address) if len(address) <= MAX_LENGTH else None
    if match is None or ".." in address or "//" in address[len("http://") :]:
        return False
    return match["port"] is None or int(match["port"]) <= 65535


def may_redirect(address: str, registered: Collection[str]) -> bool:
    """Whether a sign-on may end at an address."""
    return address in registered or is_loopback(address)


def check_registered(address: str) -> None:
    """Raise ValueError where an address is not one to register."""
    if not REGISTERED.fullmatch(address) or any(c in address for c in "*#\\ "):
        raise ValueError("expected whole addresses without wildcards or fragments")
    scheme = address.partition(":")[0]
    if scheme in ("javascript", "data", "vbscript", "file", "blob", "about"):
        raise ValueError(f"{scheme}: is no address to redirect to")
    if scheme == "http" and not is_loopback(address):
        raise ValueError("must be https:// (http:// only on the machine itself)")
    if scheme in ("http", "https") and not re.fullmatch(r"https?://[^/@?]+(/.*|\?.*)?", address):
        raise ValueError("expected whole addresses such as https://radar.example.org/signed-in")


def parse_redirect(text: str) -> str:
    """One redirect address to register, or none."""
    if text:
        check_registered(text)
    return text


def parse_redirects(text: str) -> tuple[str, ...]:
    """Redirect addresses to register, separated by spaces."""
    addresses = tuple(text.split())
    for address in addresses:
        check_registered(address)
    return addresses
