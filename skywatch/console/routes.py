"""The addresses of the console, each in the context of the feature that it is about, and the ways between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPSeeOther

from skywatch.console.page import Page
from skywatch.core.runtime import Runtime
from skywatch.http.authentication import context_factory
from skywatch.http.requests.links import link_base, public_address
from skywatch.http.requests.request import Request

HOME = "/console"
SIGN_IN = f"{HOME}/sign-in"
SIGN_ON = f"{SIGN_IN}/sso"
SIGNED_ON = f"{SIGN_IN}/callback"
SIGN_OUT = f"{HOME}/sign-out"
ENTER = f"{HOME}/enter"
MAP = f"{HOME}/map"
STYLE = f"{HOME}/style.css"
SCRIPT = f"{HOME}/script.js"
LANGUAGE = f"{HOME}/language"
SEARCH = f"{HOME}/search"
RESET = f"{HOME}/reset"
SETUP = f"{HOME}/setup"
# The steps after the first administrator.
STATION_STEP, RECEIVER_STEP = f"{HOME}/station?step=2", f"{HOME}/receivers/input?step=3"
# What is open to visitors who have no session.
OWN_ROUTES = {
    "console.sign_in": SIGN_IN,
    "console.sign_on": SIGN_ON,
    "console.signed_on": SIGNED_ON,
    "console.sign_out": SIGN_OUT,
    "console.reset": RESET,
    "console.setup": SETUP,
    "console.enter": ENTER,
    "console.style": STYLE,
    "console.script": SCRIPT,
    "console.language": LANGUAGE,
}
# The largest form has some hundred short fields.
MAX_BODY_BYTES = 65_536
LOCAL = re.compile(rf"{HOME}(/[A-Za-z0-9_-]+)*(\?[A-Za-z0-9_.~%&=+:@-]*)?")
MAX_LOCAL = 1000
# Addresses that are no page to go on to; those of visitors are none after signing in.
NO_PAGES = (SIGN_ON, SIGNED_ON, SIGN_OUT, LANGUAGE, ENTER, MAP, STYLE, SCRIPT)
VISITORS_PAGES = (SIGN_IN, RESET, SETUP)


class Pages:
    """The pages of an installation's console, in the order of its menu; added while the application is configured."""

    def __init__(self, runtime: Runtime) -> None:
        self._settings = runtime.settings
        self._pages: tuple[Page, ...] = ()
        # Path of a page whose form has a file -> the largest body (bytes).
        self.uploads: dict[str, int] = {}

    def __iter__(self) -> Iterator[Page]:
        return iter(self._pages)

    def add(self, pages: Iterable[Page]) -> None:
        """Add the pages that are not there."""
        self._pages = tuple(dict.fromkeys((*self._pages, *pages)))
        for page in self._pages:
            if page.upload_bytes is not None:
                self.uploads[HOME + page.path] = page.upload_bytes(self._settings)


def add_routes(config: Configurator, pages: Iterable[Page]) -> None:
    """Name the addresses of the pages, and those of the session."""
    for route, path in OWN_ROUTES.items():
        config.add_route(route, path, factory=context_factory(None))
    for page in pages:
        config.add_route(page.route, HOME + page.path, factory=context_factory(page.feature))


def local(address: str | None) -> str:
    """An address to go on to: one of the console's own pages, or else its first."""
    address = local_or_visitors(address)
    return HOME if address.partition("?")[0] in VISITORS_PAGES else address


def local_or_visitors(address: str | None) -> str:
    """The same, or a page that visitors open without a session."""
    if address is None or len(address) > MAX_LOCAL or not LOCAL.fullmatch(address):
        return HOME
    return HOME if address.partition("?")[0] in NO_PAGES else address


def reset_address(request: Request, token: str) -> str:
    """The link that sets a new password, with the public address of the service."""
    return f"{link_base(request)}{RESET}?link={token}"


def see_other(request: Request, address: str) -> HTTPSeeOther:
    """Send the browser on to a page of the console."""
    return HTTPSeeOther((public_address(request) or request.path_prefix) + address)
