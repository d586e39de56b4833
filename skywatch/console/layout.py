"""What every page has: the way to the others, who is signed in, what the page before said, how times are written."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from importlib.resources import files
from typing import Any

from jinja2 import StrictUndefined
from pyramid.config import Configurator

from skywatch.console.notes import take
from skywatch.console.routes import HOME, ROUTES, SIGN_IN, SIGN_OUT, STYLE
from skywatch.core.version import VERSION
from skywatch.http.request import Request
from skywatch.http.security import feature_context
from skywatch.security.contexts import IDENTIFIED
from skywatch.security.permissions import Permission
from skywatch.security.policy import decide

PHASE_LATE = 10  # After pyramid_jinja2 has made its environment.
# Route, title and the permission its page asks for.
PAGES: tuple[tuple[str, str, str], ...] = (
    ("console.overview", "Overview", IDENTIFIED),
    ("console.users", "Users", Permission.USERS_VIEW),
    ("console.roles", "Roles", Permission.ROLES_VIEW),
    ("console.access", "Feature access", Permission.SYSTEM_MANAGE),
    ("console.audit", "Audit", Permission.SYSTEM_MANAGE),
)
STYLE_SHEET = files("skywatch.console").joinpath("style.css").read_bytes()
# The address changes with the file, so that browsers may keep it.
STYLE_ADDRESS = f"{STYLE}?v={hashlib.sha256(STYLE_SHEET).hexdigest()[:12]}"


class Layout:
    """What the head of a page asks."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self.identity = request.identity

    def note(self) -> str | None:
        """What the page before wanted said."""
        return take(self._request)

    def pages(self) -> list[dict[str, Any]]:
        """The pages that the visitor may open."""
        path = self._request.path
        found = []
        for route, title, permission in PAGES:
            address, feature = ROUTES[route]
            if decide(feature_context(self._request, feature), self.identity, permission):
                here = path == address if address == HOME else path.startswith(address)
                found.append({"address": address, "title": title, "here": here})
        return found


def moment(at: datetime | None) -> str:
    """A moment as people read it, in UTC."""
    return at.strftime("%Y-%m-%d %H:%M:%S UTC") if at is not None else "never"


def compact(document: Any) -> str:
    """A JSON document in few characters, with line breaks between its members."""
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) if document else ""


def span(seconds: float | None) -> str:
    """A duration in its two largest units."""
    if seconds is None:
        return "unknown"
    parts: list[str] = []
    rest = int(seconds)
    for name, size in (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)):
        count, rest = divmod(rest, size)
        if count or (name == "s" and not parts):
            parts.append(f"{count} {name}")
    return " ".join(parts[:2])


def includeme(config: Configurator) -> None:
    """Templates by their bare names, and what all of them use."""
    config.add_jinja2_search_path("skywatch.console:templates")

    def equip() -> None:
        environment = config.get_jinja2_environment()
        environment.trim_blocks = environment.lstrip_blocks = True
        environment.undefined = StrictUndefined
        environment.filters.update(moment=moment, compact=compact, span=span)
        environment.globals.update(
            layout_of=Layout, version=VERSION, style=STYLE_ADDRESS, home=HOME, sign_in=SIGN_IN, sign_out=SIGN_OUT
        )

    config.action(None, equip, order=PHASE_LATE)
