"""Areas: parts of the address space with rules of their own, such as web pages in addition to the API.

An area defines its accepted credentials, the form of errors, the headers of responses and the largest body. Other
credentials are ignored in an area, its own are ignored elsewhere, and pages of other origins may not call it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyramid.config import Configurator
from pyramid.request import Request
from pyramid.response import Response

from skywatch.core.problems import Problem


@dataclass(frozen=True)
class Area:
    """All addresses at and below ``prefix``; ``methods`` are tried in order to identify the sender."""

    prefix: str
    methods: Sequence[Callable[[Request], Any]]
    show_problem: Callable[[Problem, Request], Response]
    max_body_bytes: int
    headers: Mapping[str, str] = field(default_factory=dict)


def area_of(request: Request) -> Area | None:
    """The area that a request's address lies in; None is the API and all else."""
    areas: list[Area] = request.registry["areas"]
    path = request.environ.get("PATH_INFO", "")
    for area in areas:
        if path.startswith(area.prefix) and (path == area.prefix or path[len(area.prefix)] == "/"):
            return area
    return None


def add_area(config: Configurator, area: Area) -> None:
    """Register an area."""
    config.registry["areas"].append(area)


def includeme(config: Configurator) -> None:
    config.registry["areas"] = []
    config.add_directive("add_area", add_area)
