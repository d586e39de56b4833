"""Content negotiation at addresses with both a page and JSON, and the pages of their problems."""

from __future__ import annotations

from collections.abc import Callable

from pyramid.config import Configurator
from pyramid.response import Response

from skywatch.core.problems import Problem
from skywatch.http.requests.request import Request

ProblemPage = Callable[[Problem, Request], Response]


def wants_page(request: Request) -> bool:
    """Whether ``Accept`` prefers a page to JSON, as that of a browser does."""
    offers = request.accept.acceptable_offers(["application/json", "text/html"])
    return bool(offers) and offers[0][0] == "text/html"


def problem_page_of(request: Request) -> ProblemPage | None:
    """The page that shows a problem of a request; None for the problem document."""
    pages: dict[str, ProblemPage] = request.registry["problem_pages"]
    show = pages.get(request.environ.get("PATH_INFO", ""))
    return show if show is not None and wants_page(request) else None


def add_problem_page(config: Configurator, path: str, show: ProblemPage) -> None:
    """Show the problems of an address as a page to clients that prefer one.

    Views there declare ``responses`` of JSON in addition to ``text/html``, which documents their problems' page too.
    """
    config.registry["problem_pages"][path] = show


def includeme(config: Configurator) -> None:
    config.registry["problem_pages"] = {}
    config.add_directive("add_problem_page", add_problem_page)
