"""Addresses of supporting documentation: clients show them as links, so only what a browser opens safely is kept."""

from __future__ import annotations

from urllib.parse import urlsplit

RULE = "must be an http:// or https:// address"


def is_web_address(text: str) -> bool:
    """Whether a text is an absolute address on the web; ``javascript:`` and the like are none."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and text.isprintable() and " " not in text
    except ValueError:
        return False
