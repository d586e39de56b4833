"""The addresses of the console, each in the context of the feature that it is about."""

from __future__ import annotations

import re

from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPSeeOther

from skywatch.http.request import Request
from skywatch.http.security import context_factory
from skywatch.http.service import NUMBER
from skywatch.http.settings import HttpSettings

HOME = "/console"
SIGN_IN = f"{HOME}/sign-in"
SIGN_OUT = f"{HOME}/sign-out"
STYLE = f"{HOME}/style.css"
# The largest form has some hundred short fields.
MAXIMUM_BODY_BYTES = 65_536
# Route -> path and feature; None is the service itself.
ROUTES: dict[str, tuple[str, str | None]] = {
    "console.overview": (HOME, None),
    "console.sign_in": (SIGN_IN, None),
    "console.sign_out": (SIGN_OUT, None),
    "console.style": (STYLE, None),
    "console.users": (f"{HOME}/users", "users"),
    "console.user": (f"{HOME}/users/{{id:{NUMBER}}}", "users"),
    "console.roles": (f"{HOME}/roles", "roles"),
    # Of no feature: one that is switched off must not lock away the switch.
    "console.access": (f"{HOME}/access", None),
    "console.audit": (f"{HOME}/audit", "system"),
}
LOCAL = re.compile(rf"{HOME}(/[A-Za-z0-9_-]+)*(\?[A-Za-z0-9_.~%&=+:@-]*)?")
LONGEST_LOCAL = 1000


def add_routes(config: Configurator) -> None:
    """Name the addresses."""
    for name, (path, feature) in ROUTES.items():
        config.add_route(name, path, factory=context_factory(feature))


def local(address: str | None) -> str:
    """An address to go on to: one of the console's own pages, or else its first."""
    if address is None or len(address) > LONGEST_LOCAL or not LOCAL.fullmatch(address):
        return HOME
    return HOME if address.partition("?")[0] in (SIGN_IN, SIGN_OUT) else address


def see_other(request: Request, address: str) -> HTTPSeeOther:
    """Send the browser on to a page of the console."""
    return HTTPSeeOther(request.runtime.settings.of(HttpSettings).base_url.rstrip("/") + address)
