"""Makes the declarations of routes and views cheap: there are hundreds, and each process makes all at its start.

For each of them the libraries read the line of source where it stands, which no one is shown unless two conflict, and
work out again in which order predicates and derivers apply. That took a quarter of the processor time of a start. Here
a declaration keeps the file and the number of its line, and an order is worked out when something is added to it.
"""

from __future__ import annotations

import sys
from types import FrameType, ModuleType, SimpleNamespace
from typing import Any

import pyramid.config.actions
import pyramid.view
from pyramid.config import Configurator
from pyramid.interfaces import IViewDerivers
from pyramid.util import TopologicalSorter

# File, line, function, source.
Place = tuple[str, int, str, str]


def place_of(frame: FrameType) -> Place:
    """Where a frame is, as the libraries note it, without the line of source."""
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, ""


def frame_info(frame: FrameType) -> tuple[str, ModuleType | None, dict[str, Any], dict[str, Any], Place]:
    """``venusian.getFrameInfo`` without the line of source."""
    names, module_names = frame.f_locals, frame.f_globals
    module = sys.modules.get(module_names.get("__name__", ""))
    if module is None or module.__dict__ is not module_names:
        scope = "exec"
    elif names is module_names:
        scope = "module"
    else:
        scope = "class" if names.get("__module__") == module_names["__name__"] else "function call"
    return scope, module, names, module_names, place_of(frame)


def _stack(limit: int) -> list[Place]:
    """What ``traceback.extract_stack`` returns to its caller, without the lines of source."""
    places: list[Place] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and len(places) < limit:
        places.append(place_of(frame))
        frame = frame.f_back
    return places[::-1]


class ViewConfig(pyramid.view.view_config):
    """Pyramid's ``view_config`` without the line of source."""

    def _get_info(self) -> None:
        self._info = place_of(sys._getframe(2))


class RememberingSorter(TopologicalSorter):
    """Pyramid's sorter, which sorts again only what has changed."""

    _order: list[tuple[str, Any]] | None = None

    def add(self, *args: Any, **kw: Any) -> None:
        """Add a value, as Pyramid does."""
        self._order = None
        super().add(*args, **kw)

    def remove(self, name: str) -> None:
        """Remove a value, as Pyramid does."""
        self._order = None
        super().remove(name)

    def sorted(self) -> list[tuple[str, Any]]:
        """Names and values in their order."""
        if self._order is None:
            self._order = super().sorted()
        return self._order


def remember_orders(config: Configurator) -> None:
    """Sort predicates and derivers once, not for each view; to be called before any route or view is added."""
    sorters = [config.get_predlist(kind).sorter for kind in ("view", "route")]
    for sorter in (*sorters, config.registry.getUtility(IViewDerivers)):
        sorter.__class__ = RememberingSorter


def install() -> None:
    """Let venusian and Pyramid note where something is declared without reading source."""
    pyramid.view.venusian.getFrameInfo = frame_info
    pyramid.config.actions.traceback = SimpleNamespace(extract_stack=_stack)
