"""Services and resources of the API as Cornice's manual has them, with the OpenAPI document made of their declarations.

What has a collection and members is a class with ``@api_resource`` and ``@view`` (Cornice's ``resource`` and ``view``),
anything else an ``ApiService`` (Cornice's ``Service``). The same declaration validates requests, guards the view and
writes the document, so that none of the three can drift from the others.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Required, Self, TypeAlias, TypedDict, TypeVar, Unpack
from urllib.parse import quote

import colander
import cornice.resource
from cornice import Service
from pyramid.config import Configurator

from skywatch.http.authentication import context_factory
from skywatch.http.requests.links import link_base
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import Schema
from skywatch.http.resources.validation import MAX_VALUES, RequestSchema, validate, validation_failed

API_PREFIX = "/api/v1"
# The number of a row in a path: ASCII digits alone (``\d`` takes those of every script), within 64 bits.
NUMBER = "[0-9]{1,18}"
# Methods whose requests may have a body.
BODY_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})
READ_METHODS = frozenset({"GET", "HEAD"})
# A field of a path, ``{name}`` or ``{name:pattern}``.
PATH_FIELD = re.compile(r"\{(\w+)(?::[^/]*)?\}")
# The names of the calls of a resource in generated clients, by the method of the class.
CALLS = {
    "collection_get": "list_{plural}",
    "collection_post": "create_{singular}",
    "get": "get_{singular}",
    "put": "replace_{singular}",
    "patch": "update_{singular}",
    "delete": "delete_{singular}",
}

Content: TypeAlias = colander.SchemaNode | str
View = TypeVar("View", bound=Callable[..., Any])
R = TypeVar("R", bound="Resource")


class ViewOptions(TypedDict, total=False):
    """What a view declares; mypy refuses other names at every view.

    ``path``, ``query`` and ``body`` are schemas; bodies of ``body_types`` other than JSON are left to the view.
    ``responses`` maps a status to a colander schema, to a media type such as ``text/csv`` for bodies that are not
    JSON, to a tuple of these where ``Accept`` decides, or to None for no body. ``errors`` are the problem statuses
    in addition to the ones every operation may give. ``operation_id`` is the name of the call in generated clients,
    where it is not that of the function or of CALLS. ``any_query`` allows unknown query parameters, for addresses
    whose clients add their own. ``remember_query`` caches the validated query string, for calls that many clients
    repeat every second. ``most_values`` is the largest number of JSON values of a body, where it is not that of
    all. A ``collection_post`` that ``creates`` a member answers 201 with the address of that member, whose ``id``
    is in the response.
    """

    permission: Required[str]
    path: colander.SchemaNode
    query: colander.SchemaNode
    body: colander.SchemaNode
    responses: Mapping[int, Content | tuple[Content, ...] | None]
    errors: tuple[int, ...]
    body_types: tuple[str, ...]
    creates: bool
    most_values: int
    operation_id: str
    any_query: bool
    remember_query: bool
    decorator: Callable[..., Any]


class ViewDecorator(Protocol):
    """``@service.get(permission=..., ...)``: registers a view and leaves it as it is."""

    def __call__(self, **options: Unpack[ViewOptions]) -> Callable[[View], View]: ...


@dataclass(frozen=True)
class Documentation:
    """What the document says of a view beyond its permission and its docstring (see ``ViewOptions``)."""

    operation_id: str
    responses: Mapping[int, Content | tuple[Content, ...] | None]
    errors: tuple[int, ...]
    body_types: tuple[str, ...]
    path: colander.SchemaNode | None
    query: colander.SchemaNode | None
    body: colander.SchemaNode | None
    creates: bool

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # Cornice copies the arguments of views; this one never changes.


@dataclass(frozen=True)
class Operation(Documentation):
    """One method of a service, for the OpenAPI document and the tests."""

    service: Service
    method: str
    permission: str
    summary: str
    description: str


def operations(service: Service) -> list[Operation]:
    """The documented methods of a service, in the order they were declared."""
    return [_operation(service, method, view, args) for method, view, args in service.definitions if method != "HEAD"]


def _operation(service: Service, method: str, view: Callable[..., Any], args: Mapping[str, Any]) -> Operation:
    declared = vars(args["documentation"])
    summary, _, rest = (view.__doc__ or "").strip().partition("\n")
    description = "\n".join(line.strip() for line in rest.strip().splitlines())
    values = {**declared, "operation_id": declared["operation_id"].format_map(service.nouns)}
    return Operation(
        **values,
        service=service,
        method=method,
        permission=args["permission"],
        summary=summary,
        description=description,
    )


class ApiService(Service):
    """A service below ``/api/v1`` (or at ``absolute``) under the access rules of ``feature``.

    ``feature`` None is for views about the service itself. Paths are written without a trailing slash; both forms
    work. ``canonical`` is the path of documents and links, which ends with a slash where ``trailing_slash`` is set: an
    area declares that once (``functools.partial``). ``tag`` is the group of the OpenAPI document, by
    default the first part of the path.
    """

    # Cornice's own decorators, with types.
    get: ViewDecorator
    post: ViewDecorator
    put: ViewDecorator
    patch: ViewDecorator
    delete: ViewDecorator

    def __init__(
        self,
        name: str,
        path: str,
        *,
        feature: str | None,
        trailing_slash: bool = False,
        absolute: bool = False,
        tag: str | None = None,
    ) -> None:
        full = path if absolute else API_PREFIX + path
        options = _service_options(feature, tag)
        super().__init__(name, depth=2, **options, **_paths(full, trailing_slash=trailing_slash))

    def add_view(self, method: str, view: Callable[..., Any], **options: Unpack[ViewOptions]) -> None:
        """Cornice's ``add_view`` for what a view of ours declares."""
        super().add_view(method, view, **_view_arguments(method.upper(), view.__name__, options))

    def address(self, values: Mapping[str, Any]) -> str:
        """The canonical path with its fields filled in."""
        return PATH_FIELD.sub(lambda field: quote(str(values[field[1]]), safe=""), self.canonical)


class Resource:
    """The base of resources: Cornice makes one for each request, and calls the method of that request."""

    def __init__(self, request: Request, context: object = None) -> None:
        self.request = request

    @property
    def id(self) -> int:
        """The id in the path of a member."""
        return int(self.request.matchdict["id"])


def api_resource(
    name: str,
    path: str,
    *,
    feature: str | None,
    trailing_slash: bool = False,
    plural: str = "",
    tag: str | None = None,
) -> Callable[[type[R]], type[R]]:
    """Cornice's ``resource`` for a collection at ``path`` below ``/api/v1`` and its members below it, by their ids.

    ``name`` is the singular of which, with ``plural`` (by default with an s), the names of the calls are made (CALLS);
    the rest is that of ``ApiService``.
    """
    collection = _paths(API_PREFIX + path, trailing_slash=trailing_slash)
    decorator: Callable[[type[R]], type[R]] = cornice.resource.resource(
        name=name,
        **_service_options(feature, tag, {"singular": name, "plural": plural or f"{name}s"}),
        **_paths(f"{API_PREFIX}{path}/{{id:{NUMBER}}}", trailing_slash=trailing_slash),
        **{f"collection_{key}": value for key, value in collection.items()},
    )
    return decorator


def view(**options: Unpack[ViewOptions]) -> Callable[[View], View]:
    """Cornice's ``view`` for a method of a resource, with what a view of ours declares."""

    def declare(method: View) -> View:
        name = method.__name__
        arguments = _view_arguments(name.rpartition("_")[2].upper(), CALLS[name], options)
        declared: View = cornice.resource.view(**arguments)(_creating(method) if options.get("creates") else method)
        return declared

    return declare


def _paths(full: str, *, trailing_slash: bool) -> dict[str, str]:
    path = full.rstrip("/") or "/"
    return {"path": path, "canonical": f"{path.rstrip('/')}/" if trailing_slash else path}


def _service_options(feature: str | None, tag: str | None, nouns: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What all views of a service share; Cornice makes attributes of the service of them."""
    return {
        "feature": feature,
        "tag": tag,
        "nouns": nouns or {},
        "factory": context_factory(feature),
        "validators": (validate,),
        "error_handler": validation_failed,
        "renderer": "json",
    }


def _view_arguments(method: str, call: str, options: ViewOptions) -> dict[str, Any]:
    """The arguments of Cornice's ``add_view``."""
    if unknown := options.keys() - ViewOptions.__annotations__.keys():
        raise TypeError(f"a view has no options {', '.join(sorted(unknown))}")
    path, query, body = options.get("path"), options.get("query"), options.get("body")
    body_types = options.get("body_types", ("application/json",))
    documentation = Documentation(
        operation_id=options.get("operation_id", call),
        responses=options.get("responses", {200: None}),
        errors=options.get("errors", ()),
        body_types=body_types,
        path=path,
        query=query,
        body=body,
        creates=options.get("creates", False),
    )
    if query is None and not options.get("any_query"):
        query = Schema()  # A call without parameters refuses every parameter.
    if body_types != ("application/json",):
        body = None  # Left to the view, which reads its media types.
    elif body is None and method in BODY_METHODS:
        body = Schema()  # A call without a body refuses every member of one.
    schema = RequestSchema(most_values=options.get("most_values", MAX_VALUES))
    for name, part in (("path", path), ("querystring", query), ("body", body)):
        if part is not None:
            schema.add(part.clone())
            schema.children[-1].name = name
    # A call without parameters has but one valid query string, the empty one.
    takes_nothing = method in READ_METHODS and options.keys().isdisjoint({"path", "query", "body", "any_query"})
    if options.get("remember_query", takes_nothing):
        schema.remembered = {}
    arguments = {"permission": str(options["permission"]), "schema": schema, "documentation": documentation}
    return arguments | ({"decorator": options["decorator"]} if "decorator" in options else {})


def _creating(method: View) -> View:
    @functools.wraps(method)
    def create(resource: Resource) -> Any:
        created = method(resource)
        request = resource.request
        collection = request.current_service.canonical
        member = f"{collection.rstrip('/')}/{created['id']}{'/' if collection.endswith('/') else ''}"
        request.response.status_code = 201
        request.response.headers["Location"] = link_base(request) + member
        return created

    return create  # type: ignore[return-value]


def view_options(view: Any, info: Any) -> Any:
    """A view deriver that changes nothing: it names the options of views that are ours."""
    return view


# Pyramid refuses options of views that no deriver names.
view_options.options = ("canonical", "documentation", "feature", "nouns", "tag")  # type: ignore[attr-defined]


def includeme(config: Configurator) -> None:
    config.add_view_deriver(view_options)
