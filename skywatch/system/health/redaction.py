"""What everybody may read of an error: its words without the places of the installation that they name."""

from __future__ import annotations

import re

_HIDDEN = "…"
_PORT = r"(?::\d{1,5})?"
_IPV4 = rf"\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?:/\d{{1,2}})?{_PORT}"
# With ``::``, or all eight groups: a time of day is no address.
_IPV6 = rf"\[?(?:(?:[0-9a-f]{{1,4}}:){{7}}[0-9a-f]{{1,4}}|(?:[0-9a-f:]*::[0-9a-f:]*))(?:%\w+)?\]?{_PORT}"
# A user at a host, a host with a domain (or the name of a file), a host with a port.
_USER = rf"[\w.+-]+@[\w.-]+{_PORT}"
_DOMAIN = rf"(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]+{_PORT}"
_HOST = r"[a-z][\w.-]*:\d{2,5}"
_URL = r"[a-z][a-z0-9+.-]*://[^\s'\",;<>]+"
_QUOTED = r"'[^']*/[^']*'|\"[^\"]*/[^\"]*\"|(?<=host )\"[^\"]+\"|(?<=host name )\"[^\"]+\""
_PATH = r"(?<![\w./])~?/[\w.@+%-]+(?:/[\w.@+%-]*)*"
_PLACE = re.compile(
    rf"{_URL}|{_QUOTED}|{_PATH}|(?<![\w.:])(?:{_IPV6}|{_IPV4}|{_USER}|{_DOMAIN}|{_HOST})(?![\w:])", re.IGNORECASE
)
# Whole phrases of PostgreSQL, Redis and the system: ``at "db" (10.0.0.5), port 5432``, ``to db:6379``.
_AT_PORT = r'"[^"]*"(?: \([^)]*\))?, port \d+'
_TO_HOST = r"(?:\[[^\]\s]*\]|[^\s:\[\]]*[^\s:\[\]\d][^\s:\[\]]*):\d+"
_PHRASE = re.compile(rf" (?:at|to) (?:{_AT_PORT}|{_TO_HOST})|, host \S+ port \d+")


def without_hosts(text: str) -> str:
    """A text without hosts, addresses and paths of files: health is open to everybody. The log has them."""
    hidden = _PLACE.sub(_HIDDEN, _PHRASE.sub("", text))
    # A sentence whose parameters name no place keeps its code.
    return text if hidden == text else hidden
