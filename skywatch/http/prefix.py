"""The path prefix that the service has at its clients, such as ``/sky`` of ``https://example.org/sky/``.

A proxy in front of the service removes the prefix from the requests that it forwards. What the service returns to
clients (links, redirects, cookies, the address of the channel) has to name it. It is the path of ``base_url``, or what
a trusted proxy sends: ``X-Ingress-Path`` (Home Assistant's ingress) or ``X-Forwarded-Prefix``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

INGRESS_HEADER, FORWARDED_HEADER = "HTTP_X_INGRESS_PATH", "HTTP_X_FORWARDED_PREFIX"
MAX_LENGTH = 200
_PREFIX = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9._~-]+)+")


def is_prefix(text: str) -> bool:
    """Whether a text is a prefix: segments of unreserved characters (RFC 3986, 2.3), no dot segments, ≤ 200 long."""
    return len(text) <= MAX_LENGTH and _PREFIX.fullmatch(text) is not None


def configured_prefix(base_url: str) -> str:
    """The prefix of ``base_url``, empty where it has none."""
    return urlsplit(base_url).path.rstrip("/")


def forwarded_prefix(environ: Mapping[str, str]) -> str:
    """The prefix that a trusted proxy sends. Empty where it sends none, or a header that is not a single prefix."""
    for name in (INGRESS_HEADER, FORWARDED_HEADER):
        if name in environ:
            text = environ[name].strip().rstrip("/")
            return text if is_prefix(text) else ""
    return ""
