"""An installation whose writes are recorded with the audit entries that each leaves."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from skywatch.core.database.models import AuditEntry
from tests.accounts import Population
from tests.functional.console.visitor import Visitor

V1 = "/api/v1"


@dataclass(frozen=True)
class Trace:
    """One request that is no read, and the actions of the audit entries that it left."""

    method: str
    path: str
    status: int
    actions: tuple[str, ...]


@dataclass(frozen=True)
class Write:
    """One write: method and path as the manual names them, the action of its audit entry, and how it is performed.

    ``perform`` may make other requests first. ``is_alone`` needs an installation of its own, for it ends a session or
    begins with none; ``needs_provider`` one with an identity provider.
    """

    operation: str
    action: str
    perform: Callable[[World], Any]
    is_alone: bool = False
    needs_provider: bool = False


class World:
    """The API and the console of one installation, for a superadmin."""

    def __init__(self, client: Any, provider: Any = None) -> None:
        self.client = client
        self.provider = provider
        self.runtime = client.runtime
        self.traces: list[Trace] = []
        self._numbers = itertools.count(1)
        request = client.do_request

        def recorded(req: Any, status: Any = None, expect_errors: Any = None) -> Any:
            before = self._newest()
            response = request(req, status, expect_errors)
            if req.method not in ("GET", "HEAD"):
                self.traces.append(Trace(req.method, req.path, response.status_int, self._actions(before)))
            return response

        client.do_request = recorded

    @cached_property
    def people(self) -> Population:
        """The users of the installation."""
        return Population(self.runtime)

    @cached_property
    def root(self) -> int:
        """The id of the superadmin."""
        return self.people.user("root", "superadmin")

    @cached_property
    def headers(self) -> dict[str, str]:
        """The superadmin's credentials."""
        return self.people.bearer(self.root)

    @cached_property
    def visitor(self) -> Visitor:
        """A browser at the console, not signed in."""
        return Visitor(self.client)

    @cached_property
    def console(self) -> Visitor:
        """The superadmin's browser."""
        assert self.root
        self.visitor.sign_in("root")
        return self.visitor

    def number(self) -> int:
        """A number that no other name of this installation has."""
        return next(self._numbers)

    def trace_of(self, write: Write) -> Trace | None:
        """Perform a write; what it left, or None if its request was not made."""
        self.traces.clear()
        write.perform(self)
        method, path = write.operation.split(" ")
        parts = re.split(r"\{\w+\}", path.rstrip("/"))
        pattern = re.compile("[^/]+".join(map(re.escape, parts)) + "/?")
        traces = [trace for trace in self.traces if trace.method == method and pattern.fullmatch(trace.path)]
        return traces[-1] if traces else None

    def ask(self, method: str, path: str, body: Any = None, **kw: Any) -> Any:
        """Send JSON below the API; the answer's document, or None."""
        send = getattr(self.client, f"{method.lower()}_json")
        return send(V1 + path, {} if body is None else body, headers=self.headers, **kw)

    def post(self, path: str, body: Any = None) -> Any:
        """POST JSON; the answer's document."""
        return self.ask("POST", path, body).json

    def patch(self, path: str, body: Any) -> None:
        """PATCH JSON."""
        self.ask("PATCH", path, body)

    def put(self, path: str, body: Any) -> None:
        """PUT JSON."""
        self.ask("PUT", path, body)

    def delete(self, path: str) -> None:
        """DELETE."""
        self.client.delete(V1 + path, headers=self.headers)

    def send(self, path: str, data: bytes, content_type: str) -> None:
        """POST bytes."""
        self.client.post(V1 + path, data, content_type=content_type, headers=self.headers)

    def _newest(self) -> int:
        with self.runtime.sessions() as session:
            return session.scalar(sa.select(sa.func.max(AuditEntry.id))) or 0

    def _actions(self, after: int) -> tuple[str, ...]:
        with self.runtime.sessions() as session:
            rows = sa.select(AuditEntry.action).where(AuditEntry.id > after).order_by(AuditEntry.id)
            return tuple(session.scalars(rows))
