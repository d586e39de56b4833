"""The class of this application's requests."""

from __future__ import annotations

from typing import Any

import pyramid.request
from cornice.service import Service
from pyramid.config import Configurator
from pyramid.interfaces import IRequestExtensions
from sqlalchemy.orm import Session

from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.http.cookies import parse_cookies
from skywatch.security.identity import Identity
from skywatch.security.visibility import Visibility


class Request(pyramid.request.Request):
    """A request as views see it: Pyramid's, and what this package adds to it.

    ``db`` is a session, opened when it is first asked for; ``identity`` is None for anonymous callers, ``may`` is what
    the caller may see; ``validated`` holds ``path``, ``querystring`` and ``body`` as their schemas have made them.
    """

    db: Session
    identity: Identity | None
    may: Visibility
    runtime: Runtime
    client_address: str
    request_id: str
    validated: dict[str, Any]
    current_service: Service

    @property
    def cookies(self) -> dict[str, str]:
        """The cookies by name, in the place of WebOb's slow ones."""
        return parse_cookies(self.environ.get("HTTP_COOKIE"))

    @property
    def caller(self) -> Identity:
        """The identity, in views whose permission anonymous callers do not have; raises Problem (401)."""
        if self.identity is None:
            raise Problem("authentication_required")
        return self.identity

    def let_go(self) -> None:
        """Drop what refers back to this request, and the picture, once it is answered.

        What lies on a cycle stays until the garbage collector comes, which is seldom: with each request the picture of
        its second.
        """
        exception: BaseException | None = self.__dict__.get("exception")
        if exception is not None:
            # Its frames hold the request, and often itself.
            exception.__traceback__ = None
        for name in ("root", "virtual_root", "cornice_args", "exception", "exc_info", "sky"):
            self.__dict__.pop(name, None)


def make_request_class(config: Configurator, base: type[Request]) -> None:
    """Give requests by their class what the parts have added to them (``config.add_request_method``).

    Pyramid adds it to each request anew, for which it makes a class a request: a seventh of the cost of a small one.
    To be called when every part has been included.
    """
    config.commit()
    extensions = config.registry.getUtility(IRequestExtensions)
    members = {**extensions.methods, **extensions.descriptors}
    extensions.methods.clear()
    extensions.descriptors.clear()
    config.set_request_factory(type("SkywatchRequest", (base,), members))
