"""Areas: parts of the address space with rules of their own, such as web pages in addition to the API.

An area defines its accepted credentials, the form of errors, the headers of responses and the largest body. Other
credentials are ignored in an area, its own are ignored elsewhere, and pages of other origins may not call it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyramid.request import Request
from pyramid.response import Response

from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime


@dataclass(frozen=True)
class Area:
    """All addresses at and below ``prefix``; ``methods`` are tried in order to identify the sender."""

    prefix: str
    methods: Sequence[Callable[[Request], Any]]
    show_problem: Callable[[Problem, Request], Response]
    max_body_bytes: int
    headers: Mapping[str, str] = field(default_factory=dict)


class Areas:
    """The areas of one installation."""

    def __init__(self, runtime: Runtime) -> None:
        self._areas: dict[str, Area] = {}

    def add(self, area: Area) -> None:
        """Add an area, in place of one with the same prefix."""
        self._areas[area.prefix] = area

    def at(self, path: str) -> Area | None:
        """The area that a path lies in."""
        for area in self._areas.values():
            if path.startswith(area.prefix) and (path == area.prefix or path[len(area.prefix)] == "/"):
                return area
        return None


def area_of(request: Request) -> Area | None:
    """The area that a request's address lies in; None is the API and all else."""
    runtime: Runtime = request.runtime
    return runtime.shared(Areas).at(request.environ.get("PATH_INFO", ""))
