"""Cookies of a request, read in linear time.

WebOb's regular expression takes quadratic time: 40 s for 32 KiB, during which nothing else in the process runs. The
service's own cookies are plain tokens, for which the rule of RFC 6265 (section 5.2) is enough.
"""

from __future__ import annotations


def parse_cookies(header: str | None) -> dict[str, str]:
    """The cookies of a ``Cookie`` header by name; the last of several with the same name wins."""
    cookies: dict[str, str] = {}
    for pair in (header or "").split(";"):
        name, equals, value = pair.partition("=")
        name, value = name.strip(" \t"), value.strip(" \t")
        if not equals or not name:
            continue
        if len(value) >= 2 and value[0] == value[-1] == '"':
            value = value[1:-1]
        cookies[name] = value
    return cookies
