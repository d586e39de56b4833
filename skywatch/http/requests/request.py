"""The class of this application's requests."""

from __future__ import annotations

from typing import Any

import pyramid.request
from cornice.errors import Errors
from cornice.service import Service
from sqlalchemy.orm import Session

from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.http.requests.cookies import parse_cookies
from skywatch.security.identity import Identity, person_of
from skywatch.security.visibility import Visibility


class Request(pyramid.request.Request):
    """Pyramid's request with the attributes that this package adds.

    ``db`` is a session, opened at first use; ``identity`` is None for anonymous callers, ``visibility`` is what
    the caller may see; ``validated`` contains ``path``, ``querystring`` and ``body`` as deserialized by their schemas.
    ``path_prefix`` is the path below which clients know the service, empty or as ``/sky``. ``is_framed``: Home
    Assistant's ingress shows the pages in a frame of its own page, from the same origin.
    """

    # None for anonymous callers. Raises what the policy does.
    identity: Identity | None
    db: Session
    visibility: Visibility
    runtime: Runtime
    client_address: str
    path_prefix: str
    is_framed: bool
    frame_origins: tuple[str, ...]
    request_id: str
    validated: dict[str, Any]
    errors: Errors
    info: dict[str, Any]
    current_service: Service

    @property
    def cookies(self) -> dict[str, str]:
        """The cookies by name; replaces WebOb's slow parser."""
        return parse_cookies(self.environ.get("HTTP_COOKIE"))

    @property
    def content_type(self) -> str:
        """The media type of the body without parameters, in lower case: its case is up to the client (RFC 9110)."""
        return str(super().content_type).lower()

    @content_type.setter
    def content_type(self, value: str | None) -> None:
        pyramid.request.Request.content_type.fset(self, value)

    @property
    def caller(self) -> Identity:
        """The identity, in views whose permission anonymous callers do not have; raises Problem (401)."""
        if self.identity is None:
            raise Problem("authentication_required")
        return self.identity

    @property
    def person(self) -> str:
        """Who has their part of what people share: the caller with their keys and service accounts, or a network."""
        return person_of(self.identity, self.client_address)

    def let_go(self) -> None:
        """Drop the picture and all references back to this request, once it is answered.

        A cycle lives until the garbage collector runs, which is seldom, and each would keep a picture alive.
        """
        exception: BaseException | None = self.__dict__.get("exception")
        if exception is not None:
            # Its frames refer to the request, and often to the exception itself.
            exception.__traceback__ = None
        for name in ("root", "virtual_root", "cornice_args", "exception", "exc_info", "sky"):
            self.__dict__.pop(name, None)
