"""What every page has: the way to the others, who is signed in, and what the page before said."""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from importlib.resources import files
from typing import Any, cast

from pyramid.config import Configurator

from skywatch.console.page import Page
from skywatch.console.pages.menu import Task, pages_for, tasks_of
from skywatch.console.pages.notes import take
from skywatch.console.routes import SCRIPT, STYLE
from skywatch.http.requests.request import Request
from skywatch.security.identity import Identity

LIGHT = re.compile(r':root\[data-theme="light"\] (\{[^}]*\})')


def style_sheet() -> bytes:
    """The tokens of the web application and the rules of the pages.

    Without script nobody sets a theme: then the colours of day are for whoever prefers them.
    """
    tokens = files("skywatch.web").joinpath("tokens.css").read_text(encoding="utf-8")
    day = LIGHT.search(tokens)
    if day is None:
        raise ValueError("tokens.css has no colours of day")
    preferred = f"@media (prefers-color-scheme: light) {{ :root:not([data-theme]) {day[1]} }}\n"
    return (tokens + preferred + _own("style.css")).encode()


def _own(name: str) -> str:
    return files("skywatch.console").joinpath(name).read_text(encoding="utf-8")


def _versioned(address: str, content: bytes) -> str:
    """An address that changes with the content, so that browsers may keep it."""
    return f"{address}?v={hashlib.sha256(content).hexdigest()[:12]}"


STYLE_SHEET = style_sheet()
SCRIPT_FILE = _own("script.js").encode()
STYLE_ADDRESS, SCRIPT_ADDRESS = _versioned(STYLE, STYLE_SHEET), _versioned(SCRIPT, SCRIPT_FILE)


class Layout:
    """What the head of a page asks."""

    def __init__(self, request: Request) -> None:
        self._request = request

    @property
    def identity(self) -> Identity | None:
        """The signed-in user; read by pages that show only the user: a refused session has none."""
        return self._request.identity

    def note(self) -> str | None:
        """The message of the page before."""
        return take(self._request)

    @cached_property
    def pages(self) -> list[Page]:
        """The pages with a title that the visitor may open, in the order of the menu."""
        return pages_for(self._request)

    @cached_property
    def tasks(self) -> list[Task]:
        """The menu of the visitor."""
        return tasks_of(self._request, self.pages)

    @property
    def task(self) -> Task | None:
        """The task of the present page, where it has further pages."""
        return next((task for task in self.tasks if task.here and len(task.pages) > 1), None)

    @property
    def language(self) -> str:
        """The language of the page."""
        result: str = self._request.locale_name
        return result

    def here(self) -> str:
        """The address of the page, to come back to in another language."""
        query = self._request.query_string
        result: str = self._request.path + (f"?{query}" if query else "")
        return result


def layout_of(request: Request) -> Layout:
    """What the head of a page asks; made once for a request."""
    layout: Layout = cast(Any, request).console_layout
    return layout


def includeme(config: Configurator) -> None:
    """What the head of a page asks."""
    config.add_request_method(Layout, "console_layout", reify=True)
