"""Pages with a form that are declared: what they show, what they read, and the function that makes the change.

A page checks what it was sent, has it saved, and goes on; a refusal shows the form again, with what was entered and the
reason. What is no such page (several forms, files, visitors) has the two views of a ``FormPage``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import colander
from pyramid.config import Configurator
from pyramid.response import Response

from skywatch.console.forms.changes import done, refused
from skywatch.console.forms.entries import VERSION, Entries, read_entries
from skywatch.console.forms.form import read_form
from skywatch.console.page import Page
from skywatch.core.problems import Problem
from skywatch.http.requests.request import Request

Answer: TypeAlias = "dict[str, Any] | Response"


def _nothing(request: Request) -> None:
    """Whoever gets the page may change what it is about."""


@dataclass(frozen=True, kw_only=True)
class DeclaredPage(Page, ABC):
    """What the declared pages share: ``permission`` is also that of both views.

    ``shows`` and ``does`` say in the manual what GET and POST are for. ``check`` raises Problem where the form could
    only be refused.
    """

    # Every page with a form says who gets it.
    permission: str = field()
    shows: str
    does: str
    template: str
    check: Callable[[Request], object] = _nothing

    @abstractmethod
    def show(self, request: Request) -> dict[str, Any]:
        """What the template shows."""

    @abstractmethod
    def post(self, request: Request) -> Answer:
        """Take the form."""

    def add_views(self, config: Configurator) -> None:
        """Add the views for GET and POST."""

        def show(request: Request) -> dict[str, Any]:
            self.check(request)
            return self.show(request)

        def post(request: Request) -> Answer:
            return self.post(request)

        show.__doc__, post.__doc__ = self.shows, self.does
        for method, view in (("GET", show), ("POST", post)):
            config.add_view(
                view, route_name=self.route, request_method=method, permission=self.permission, renderer=self.template
            )


@dataclass(frozen=True, kw_only=True)
class EditPage(DeclaredPage):
    """A form with the fields of ``schema``, and ``more`` ones.

    It opens with what is ``stored``, or with what is ``proposed`` for something new. ``save`` makes the change and says
    where to go on, or what to show; it raises Problem for what is refused. ``page`` is what the template shows.
    """

    schema: colander.SchemaNode
    more: tuple[str, ...] = ()
    stored: Callable[[Request], Entries] | None = None
    proposed: Callable[[Request], Entries] | None = None
    save: Callable[[Request, Entries], Answer]
    page: Callable[[Request, Entries], dict[str, Any]]

    def show(self, request: Request) -> dict[str, Any]:
        """The form as it opens."""
        opened = self.proposed or self.stored
        return self.page(request, Entries() if opened is None else opened(request))

    def post(self, request: Request) -> Answer:
        """Save what was entered; the form again where that is refused."""
        entries = read_entries(request, self.schema, *self.more)
        try:
            return self.save(request, entries)
        except Problem as problem:
            stored = None if self.stored is None else self.stored(request)
            return refused(request, problem, self.page(request, entries.refused(problem, stored)))


@dataclass(frozen=True, kw_only=True)
class DeletePage(DeclaredPage):
    """A question (``confirmation``) before something is deleted.

    ``delete`` gets the version that the question was asked with, and returns what to say on the page ``onward``.
    """

    template: str = "confirm.jinja2"
    question: Callable[[Request], dict[str, Any]]
    delete: Callable[[Request, str], str]
    onward: str

    def show(self, request: Request) -> dict[str, Any]:
        """The question."""
        return self.question(request)

    def post(self, request: Request) -> Answer:
        """Delete; the question again where that is refused."""
        version = read_form(request, VERSION).get(VERSION, "")
        try:
            text = self.delete(request, version)
        except Problem as problem:
            return refused(request, problem, self.question(request))
        return done(request, self.onward, text)
