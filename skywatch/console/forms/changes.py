"""A change that a form asks for: it happens as a whole or not at all, and a refusal is shown on the form's own page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.accounts.identity.caller import Caller, noting_refusals
from skywatch.console.pages.notes import flash
from skywatch.console.routes import see_other
from skywatch.core.database.engine import writing
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Target
from skywatch.http.requests.request import Request

# Statuses that the page of the form shows; all others get a page of their own.
SHOWN_ON_THE_PAGE = (400, 403, 409)


@contextmanager
def changing(request: Request, action: str, target: Target) -> Iterator[tuple[Session, Caller]]:
    """A transaction of its own, so that the page of a refusal shows what is stored, not what was tried."""
    with noting_refusals(request, action, target) as caller, writing(request.runtime.sessions) as session:
        yield session, caller


def done(request: Request, address: str, text: str) -> Response:
    """Go on to a page that says what was done."""
    response = see_other(request, address)
    flash(request, response, text)
    return response


def refused(request: Request, problem: Problem, page: dict[str, Any]) -> dict[str, Any]:
    """The page of a form whose change was refused, with the reason; raises what the page cannot show."""
    if problem.kind.status not in SHOWN_ON_THE_PAGE:
        raise problem
    request.response.status_code = problem.kind.status
    return {**page, "problem": problem}
