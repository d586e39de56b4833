"""What every page has: the way to the others, who is signed in, and what the page before said."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import Any

from jinja2 import StrictUndefined, pass_context
from jinja2.runtime import Context
from pyramid.config import Configurator

from skywatch.console.pages.notes import take
from skywatch.console.pages.page import Page
from skywatch.console.pages.wording import compact, differences, moment, span
from skywatch.console.routes import HOME, SIGN_IN, SIGN_OUT, STYLE
from skywatch.core.process.version import VERSION
from skywatch.http.requests.request import Request
from skywatch.http.requests.security import feature_context
from skywatch.security.policy import decide

PHASE_LATE = 10  # After pyramid_jinja2 has made its environment.
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

    def groups(self) -> list[dict[str, Any]]:
        """The pages that the visitor may open, under their headings."""
        groups: dict[str, list[dict[str, Any]]] = {}
        offered: tuple[Page, ...] = self._request.registry["console_pages"]
        here = _nearest(self._request.path, [HOME + page.path for page in offered if page.title])
        for page in offered:
            context = feature_context(self._request, page.feature)
            if page.title and decide(context, self.identity, page.permission):
                address = HOME + page.path
                entry = {"address": address, "title": page.title, "here": address == here}
                groups.setdefault(page.group, []).append(entry)
        return [{"title": title, "pages": pages} for title, pages in groups.items()]


@pass_context
def link(context: Context, address: str) -> str:
    """An address of this service as browsers reach it: below the path prefix; others stay as they are."""
    prefix: str = context["request"].path_prefix
    return prefix + address if address.startswith("/") else address


def _nearest(path: str, addresses: list[str]) -> str:
    """The page that an address belongs to: itself, or the longest one above it."""
    above = [address for address in addresses if path == address or path.startswith(f"{address}/")]
    return max((address for address in above if address != HOME or path == HOME), key=len, default="")


def includeme(config: Configurator) -> None:
    """Templates by their bare names, and what all of them use."""
    config.add_jinja2_search_path("skywatch.console:templates")

    def equip() -> None:
        environment = config.get_jinja2_environment()
        environment.trim_blocks = environment.lstrip_blocks = True
        environment.undefined = StrictUndefined
        environment.filters.update(link=link, moment=moment, compact=compact, span=span, differences=differences)
        environment.globals.update(
            layout_of=Layout, version=VERSION, style=STYLE_ADDRESS, home=HOME, sign_in=SIGN_IN, sign_out=SIGN_OUT
        )

    config.action(None, equip, order=PHASE_LATE)
