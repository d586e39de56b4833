"""Finds the route of a request among those that begin like its path: Pyramid tries all in turn."""

from __future__ import annotations

import re
from typing import Any

from pyramid.config import Configurator
from pyramid.interfaces import IRoutesMapper
from pyramid.urldispatch import Route, RoutesMapper, _compile_route

from skywatch.http.requests.request import Request

# What may end the literal beginning of a pattern: a field, the rest of the path, or a letter that paths encode.
_END_OF_LITERAL = re.compile(r"[{*:]|[^\x00-\x7f]")


class LazyRoute(Route):
    """A route whose pattern is compiled when the first path is looked at, or the first link made."""

    def __init__(
        self, name: str, pattern: str, factory: Any = None, predicates: Any = (), pregenerator: Any = None
    ) -> None:
        # Not Pyramid's own, which compiles.
        self.name = name
        self.pattern = self.path = pattern
        self.factory, self.predicates, self.pregenerator = factory, predicates, pregenerator

    def __getattr__(self, name: str) -> Any:
        if name not in ("match", "generate"):
            raise AttributeError(name)
        self.match, self.generate = _compile_route(self.pattern)
        return self.__dict__[name]


class IndexedRoutesMapper(RoutesMapper):
    """Pyramid's mapper with one of its mappers for each folder of the paths; routes keep their order."""

    def __init__(self) -> None:
        super().__init__()
        self._folders: dict[str, RoutesMapper] = {}
        # Paths that are a whole pattern: those that nobody has asked for, and the others' only route.
        self._literals: set[str] = set()
        self._exact: dict[str, Route] = {}

    def connect(
        self, name: str, pattern: str, factory: Any = None, predicates: Any = (), pregenerator: Any = None,
        static: bool = False,
    ) -> Route:  # fmt: skip
        """Add a route, as Pyramid does."""
        self._folders = {}
        before = self.routes.get(name)
        if before in self.routelist:
            self.routelist.remove(before)
        route = self.routes[name] = LazyRoute(name, pattern, factory, predicates, pregenerator)
        (self.static_routes if static else self.routelist).append(route)
        return route

    def __call__(self, request: Request) -> dict[str, Any]:
        """The route of a request and its match; raises URLDecodeError."""
        if not self._folders:
            self._folders = _folders(self.routelist)
            self._literals, self._exact = _literals(self.routelist), {}
        path = request.environ.get("PATH_INFO", "")
        if path in self._literals:
            self._look_at_literal(path)
        if path in self._exact:
            return {"route": self._exact[path], "match": {}}
        match: dict[str, Any] = self._mapper_for(path)(request)
        return match

    def _mapper_for(self, path: str) -> RoutesMapper:
        mapper, end = self._folders["/"], path.find("/", 1)
        while end >= 0 and path[: end + 1] in self._folders:
            mapper = self._folders[path[: end + 1]]
            end = path.find("/", end + 1)
        return mapper

    def _look_at_literal(self, path: str) -> None:
        """Remember the first route that a path matches, unless it asks for more than the path."""
        first = next(route for route in self._mapper_for(path).routelist if route.match(path) is not None)
        if not first.predicates and not first.match(path):
            self._exact[path] = first
        self._literals.discard(path)


def _literals(routes: list[Route]) -> set[str]:
    return {"/" + route.pattern.removeprefix("/") for route in routes if not _END_OF_LITERAL.search(route.pattern)}


def _folders(routes: list[Route]) -> dict[str, RoutesMapper]:
    """By folder (``/api/v1/``), a mapper of the routes that a path in it may match; parents of folders are included."""
    folders = {_folder_of(route.pattern): RoutesMapper() for route in routes} | {"/": RoutesMapper()}
    for folder in list(folders):
        for end in (index + 1 for index, letter in enumerate(folder) if letter == "/"):
            folders.setdefault(folder[:end], RoutesMapper())
    for folder, mapper in folders.items():
        mapper.routelist = [route for route in routes if folder.startswith(_folder_of(route.pattern))]
    return folders


def _folder_of(pattern: str) -> str:
    """The folder in which all paths of a pattern are."""
    literal = _END_OF_LITERAL.split("/" + pattern.removeprefix("/"), maxsplit=1)[0]
    return literal[: literal.rfind("/") + 1]


def index_routes(config: Configurator) -> None:
    """Use the indexed mapper; to be called before any route is added."""
    config.registry.registerUtility(IndexedRoutesMapper(), IRoutesMapper)
