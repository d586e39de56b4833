"""Content negotiation at addresses with both a page and JSON, and the pages of their problems."""

from __future__ import annotations

from skywatch.http.path_rules import PathRules, ProblemPage
from skywatch.http.requests.request import Request


def wants_page(request: Request) -> bool:
    """Whether ``Accept`` prefers a page to JSON, as that of a browser does."""
    offers = request.accept.acceptable_offers(["application/json", "text/html"])
    return bool(offers) and offers[0][0] == "text/html"


def problem_page_of(request: Request) -> ProblemPage | None:
    """The page that shows a problem of a request; None for the problem document."""
    show = request.runtime.shared(PathRules).problem_pages.get(request.environ.get("PATH_INFO", ""))
    return show if show is not None and wants_page(request) else None
