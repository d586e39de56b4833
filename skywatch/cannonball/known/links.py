"""Addresses of supporting documentation: clients show them as links, so only safe ones are accepted."""

from __future__ import annotations

from urllib.parse import urlsplit

from skywatch.sentences import sentence

RULE = sentence("known.link", "must be an http:// or https:// address")


def is_web_address(text: str) -> bool:
    """Whether a text is an absolute http or https address."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and text.isprintable() and " " not in text
    except ValueError:
        return False
