"""The way between the pages: tasks, the pages of the present one, and what a visitor may open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from skywatch.console.page import Page
from skywatch.console.routes import HOME, Pages
from skywatch.console.texts.language import translate
from skywatch.http.authentication import feature_context
from skywatch.http.requests.request import Request
from skywatch.security.policy import decide


@dataclass(frozen=True)
class Entry:
    """A page in a menu; ``here`` is whether the present page is it or belongs to it."""

    address: str
    title: str
    here: bool


@dataclass(frozen=True)
class Task:
    """What somebody came for: an entry of the menu, and the pages behind it. The entry opens the first of them."""

    title: str
    pages: Sequence[Entry]

    @property
    def address(self) -> str:
        """The page that the entry of the menu opens."""
        return self.pages[0].address

    @property
    def here(self) -> bool:
        """Whether the present page is one of them."""
        return any(page.here for page in self.pages)


def may_open(request: Request, page: Page) -> bool:
    """Whether the visitor may open a page."""
    return bool(decide(feature_context(request, page.feature), request.identity, page.permission))


def pages_for(request: Request) -> list[Page]:
    """The pages with a title that the visitor may open, in the order of the menu."""
    return [page for page in request.runtime.shared(Pages) if page.title and may_open(request, page)]


def tasks_of(request: Request, pages: Sequence[Page]) -> list[Task]:
    """The menu of these pages: a page without a group is an entry by itself."""
    nearest = _nearest(request.path, [HOME + page.path for page in pages])
    groups: dict[str, list[Entry]] = {}
    for page in pages:
        address = HOME + page.path
        entry = Entry(address, translate(request, page.title), address == nearest)
        groups.setdefault(page.group or page.title, []).append(entry)
    return [Task(translate(request, title), entries) for title, entries in groups.items()]


def _nearest(path: str, addresses: Iterable[str]) -> str:
    """The page that an address belongs to: itself, or the longest one above it."""
    above = [address for address in addresses if path == address or path.startswith(f"{address}/")]
    return max((address for address in above if address != HOME or path == HOME), key=len, default="")
