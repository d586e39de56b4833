"""``ApiService``: a Cornice service with its feature, schemas and responses.

The same declaration validates requests, guards the view and writes the OpenAPI document, so that none of the
three can drift from the others.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Required, TypeAlias, TypedDict, TypeVar, Unpack
from urllib.parse import quote

import colander
from cornice import Service

from skywatch.http.authentication import context_factory
from skywatch.http.requests.links import link_base
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import Schema
from skywatch.http.resources.validation import MAX_VALUES, validate, validation_failed

API_PREFIX = "/api/v1"
# The number of a row in a path: ASCII digits alone (``\d`` takes those of every script), within 64 bits.
NUMBER = "[0-9]{1,18}"
# Methods whose requests may have a body.
BODY_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})
READ_METHODS = frozenset({"GET", "HEAD"})
# A field of a path, ``{name}`` or ``{name:pattern}``.
PATH_FIELD = re.compile(r"\{(\w+)(?::[^/]*)?\}")
# Size of the cache of validated query strings (one a service); long ones are validated each time.
MAX_REMEMBERED, MAX_REMEMBERED_LENGTH = 1024, 256


Content: TypeAlias = colander.SchemaNode | str
View = TypeVar("View", bound=Callable[..., Any])


class ViewOptions(TypedDict, total=False):
    """What ``ApiService.add_view`` takes; mypy refuses other names at every view."""

    permission: Required[str]
    path: colander.SchemaNode
    query: colander.SchemaNode
    body: colander.SchemaNode
    responses: Mapping[int, Content | tuple[Content, ...] | None]
    errors: tuple[int, ...]
    body_types: tuple[str, ...]
    creates: ApiService
    most_values: int
    operation_id: str
    any_query: bool
    remember_query: bool
    decorator: Callable[..., Any]


class ViewDecorator(Protocol):
    """``@service.get(permission=..., ...)``: registers a view and leaves it as it is."""

    def __call__(self, **options: Unpack[ViewOptions]) -> Callable[[View], View]: ...


@dataclass(frozen=True)
class Operation:
    """One method of a service, for the OpenAPI document and the tests.

    ``operation_id`` is the name of the call in generated clients. ``responses`` maps a status to a colander schema, to
    a media type such as ``text/csv`` for bodies that are not JSON, to a tuple of these where ``Accept`` decides, or to
    None for no body. ``errors`` are the problem statuses in addition to the ones every operation may give. ``creates``
    is the service of the created resource, to which ``Location`` refers.
    """

    service: ApiService
    method: str
    operation_id: str
    permission: str
    summary: str
    description: str
    responses: Mapping[int, Content | tuple[Content, ...] | None]
    errors: tuple[int, ...]
    path: colander.SchemaNode | None = None
    query: colander.SchemaNode | None = None
    body: colander.SchemaNode | None = None
    body_types: tuple[str, ...] = ("application/json",)
    creates: ApiService | None = None


@dataclass
class _Parts:
    operations: list[Operation] = field(default_factory=list)


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
        **kw: Any,
    ) -> None:
        self.feature = feature
        self.tag = tag
        full = path if absolute else API_PREFIX + path
        full = full.rstrip("/") or "/"
        self.canonical = f"{full.rstrip('/')}/" if trailing_slash else full
        self.parts = _Parts()
        super().__init__(
            name,
            full,
            factory=context_factory(feature),
            error_handler=validation_failed,
            renderer="json",
            depth=2,
            **kw,
        )

    @property
    def operations(self) -> list[Operation]:
        """The documented methods, in the order they were declared."""
        return self.parts.operations

    def add_view(self, method: str, view: Callable[..., Any], **kw: Any) -> None:
        """Cornice's ``add_view`` with ``path``, ``query`` and ``body`` schemas, ``responses`` and ``errors``.

        ``permission`` is required; the summary is the first line of the view's docstring, and the operation id its
        name unless ``operation_id`` gives one. ``any_query`` allows unknown
        query parameters, for addresses whose clients add their own. ``remember_query`` caches the validated query
        string, for calls that many clients repeat every second. ``most_values`` is the largest number of JSON values of
        a body, where it is not that of all. Bodies of ``body_types`` other than JSON are left to
        the view. ``creates`` names the service of the resource that the view creates: the response is 201 with the
        address of that resource, whose path takes its fields from the members of the response.
        """
        permission = kw["permission"]
        parts = {name: kw.pop(name, None) for name in ("path", "query", "body")}
        responses = kw.pop("responses", {200: None})
        errors = tuple(kw.pop("errors", ()))
        body_types = tuple(kw.pop("body_types", ("application/json",)))
        creates = kw.pop("creates", None)
        most_values = kw.pop("most_values", MAX_VALUES)
        operation_id = kw.pop("operation_id", view.__name__)
        any_query = kw.pop("any_query", False)
        # A call without parameters has but one valid query string, the empty one.
        takes_nothing = method.upper() in READ_METHODS and not any_query and not any(parts.values())
        remember = kw.pop("remember_query", takes_nothing)
        summary, _, rest = (view.__doc__ or "").strip().partition("\n")
        self.parts.operations.append(
            Operation(
                self,
                method.upper(),
                operation_id,
                str(permission),
                summary,
                _dedent(rest),
                responses,
                errors,
                body_types=body_types,
                creates=creates,
                **parts,
            )
        )
        kw["permission"] = str(permission)
        if body_types != ("application/json",):
            parts["body"] = None  # Left to the view, which reads its media types.
        elif parts["body"] is None and method.upper() in BODY_METHODS:
            parts["body"] = Schema()  # A call without a body refuses every member of one.
        kw["schema"] = _request_schema(parts, any_query=any_query)
        kw["schema"].most_values = most_values
        kw["validators"] = ((_remembering if remember else _with_schema)(kw["schema"]),)
        super().add_view(method, view if creates is None else _creating(view, creates), **kw)

    def address(self, values: Mapping[str, Any]) -> str:
        """The canonical path with its fields filled in."""
        return PATH_FIELD.sub(lambda field: quote(str(values[field[1]]), safe=""), self.canonical)


def _creating(view: Callable[..., Any], service: ApiService) -> Callable[..., Any]:
    @functools.wraps(view)
    def create(request: Request) -> Any:
        created = view(request)
        request.response.status_code = 201
        request.response.headers["Location"] = link_base(request) + service.address(created)
        return created

    return create


def _with_schema(schema: colander.SchemaNode) -> Callable[..., None]:
    def validator(request: Request, **kw: Any) -> None:
        request.current_service_schema = schema
        kw["schema"] = schema
        validate(request, **kw)

    return validator


def _remembering(schema: colander.SchemaNode) -> Callable[..., None]:
    """Validates like ``_with_schema``, once for each query string; for schemas of nothing but a query string."""
    validate_all = _with_schema(schema)
    cache: dict[str, dict[str, Any]] = {}

    def validator(request: Request, **kw: Any) -> None:
        text = request.query_string
        if text in cache:
            request.validated["querystring"] = dict(cache[text])
            return
        validate_all(request, **kw)
        if not request.errors and len(text) <= MAX_REMEMBERED_LENGTH:
            if len(cache) >= MAX_REMEMBERED:
                cache.clear()
            cache[text] = dict(request.validated["querystring"])

    return validator


def _request_schema(parts: dict[str, colander.SchemaNode | None], *, any_query: bool) -> colander.SchemaNode:
    schema = Schema()
    for name, key in (("path", "path"), ("query", "querystring"), ("body", "body")):
        part = parts[name]
        if part is None and name == "query" and not any_query:
            part = Schema()  # A call without parameters refuses every parameter.
        if part is not None:
            node = part.clone()
            node.name = key
            schema.add(node)
    return schema


def _dedent(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())
