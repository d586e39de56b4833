"""Reads path, query string and body of a request and validates them by the schemas of its service.

All faults are reported at once. JSON is parsed strictly: no duplicate keys, no NaN, UTF-8 only. A leading byte order
mark is ignored (RFC 8259, 8.1): some editors write one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Set
from typing import Any

import colander
from pyramid.response import Response

from skywatch.core.problems import Problem, field_fault, invalid, invalid_request
from skywatch.core.runtime import Runtime
from skywatch.http.errors import problem_response
from skywatch.http.requests.request import Request
from skywatch.http.resources.faults import faults_of
from skywatch.http.resources.schema import QueryList, Schema
from skywatch.sentences import sentence

JSON_TYPES = ("application/json", "")

# Limit of faults in a response, which must not be many times as large as the request.
MAX_FAULTS = 200

# Values of a body: the largest that anybody sends, a watch list of 100,000 entries, has as many. A megabyte could hold
# half a million, and parsing, checking and refusing each takes longer than anybody should wait.
MAX_VALUES = 150_000
# A comma or bracket, or a string as a whole, which may contain such marks.
_VALUE_OR_STRING = re.compile(rb'[,\[{]|"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)

# Size of the cache of validated query strings (one a view); long ones are validated each time.
MAX_REMEMBERED, MAX_REMEMBERED_LENGTH = 1024, 256

# Far more than any valid number has; Python's own limit has a message for its programmers.
MAX_DIGITS = 1000


class RequestSchema(Schema):
    """``path``, ``querystring`` and ``body`` of a request.

    ``most_values`` is the largest number of JSON values of the body. ``remembered`` holds validated query strings of a
    request that is nothing else; None where each is validated.
    """

    most_values: int = MAX_VALUES
    remembered: dict[str, dict[str, Any]] | None = None


def validate(request: Request, schema: RequestSchema | None = None, **kw: Any) -> None:
    """The validator of every service: fills ``request.validated`` with ``path``, ``querystring`` and ``body``.

    The body becomes the struct that its schema names.
    """
    if schema is None:
        return
    remembered, text = schema.remembered, request.query_string
    # Another thread may forget them all at any moment.
    known = remembered.get(text) if remembered is not None else None
    if known is not None:
        request.validated["querystring"] = dict(known)
        return
    schema = request.runtime.shared(BoundSchemas).of(schema)
    try:
        request.validated.update(schema.deserialize(_read(schema, request)))
    except colander.Invalid as error:
        for name, detail in faults_of(error).items():
            location, _, field = name.partition(".")
            request.errors.add(location, field, detail)
    if request.errors:
        return
    struct = getattr(schema.get("body"), "struct", None)
    if struct is not None:
        request.validated["body"] = struct.of(request.validated["body"])
    if remembered is not None and len(text) <= MAX_REMEMBERED_LENGTH:
        if len(remembered) >= MAX_REMEMBERED:
            remembered.clear()
        remembered[text] = dict(request.validated["querystring"])


class BoundSchemas:
    """The schemas of an application (``runtime.shared``), bound to its features."""

    def __init__(self, runtime: Runtime) -> None:
        self._features = runtime.features
        self._bound: dict[RequestSchema, RequestSchema] = {}

    def of(self, schema: RequestSchema) -> RequestSchema:
        """The schema itself, or a copy of it whose deferred parts are known."""
        bound = self._bound.get(schema)
        if bound is None:
            bound = self._bound[schema] = schema.bind(features=self._features) if _is_deferred(schema) else schema
        return bound


def _is_deferred(schema: colander.SchemaNode) -> bool:
    return isinstance(schema.validator, colander.deferred) or any(map(_is_deferred, schema.children))


def _read(schema: RequestSchema, request: Request) -> dict[str, Any]:
    """The parts of the request as Cornice's colander validator expects them."""
    parts: dict[str, Any] = {}
    for node in schema.children:
        if node.name == "path":
            parts["path"] = dict(request.matchdict)
        elif node.name == "querystring":
            parts["querystring"] = _query(
                request, {child.name for child in node.children if isinstance(child.typ, QueryList)}
            )
        elif node.name == "body":
            parts["body"] = json_body(request, schema.most_values)
    return parts


def _query(request: Request, lists: Set[str]) -> dict[str, str]:
    """The parameters by name; ``lists`` may be repeated, which equals values separated by commas.

    One without a value was not sent: forms send all of their fields.
    """
    try:
        pairs = list(request.GET.items())
    except UnicodeDecodeError:
        raise invalid("", sentence("field.utf8", "must be UTF-8"), "querystring") from None
    values: dict[str, str] = {}
    twice: set[str] = set()
    for name, value in pairs:
        if not value:
            continue
        if name in values and name in lists:
            values[name] += f",{value}"
        elif name in values:
            twice.add(name)
        values.setdefault(name, value)
    for name in sorted(twice)[:MAX_FAULTS]:
        request.errors.add("querystring", name[:64], sentence("field.twice", "is given more than once"))
    return values


def json_body(request: Request, most_values: int | None = MAX_VALUES) -> Any:
    """The parsed body; raises Problem (415 or 400) where it is not strict JSON, or has more values than this.

    None is for callers that have counted them.
    """
    body: bytes = request.body
    if not body:
        return {}
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem("unsupported_media_type", sentence("body.compressed", "The body must not be compressed."))
    if request.content_type not in JSON_TYPES:
        raise Problem("unsupported_media_type", sentence("body.json_type", "The body must be application/json."))
    if most_values is not None and not has_at_most(body, most_values):
        raise too_many_values(most_values)
    try:
        return json.loads(
            body.decode("utf-8-sig"), object_pairs_hook=_unique, parse_constant=_refuse, parse_int=_integer
        )
    except UnicodeDecodeError:
        raise Problem("malformed_body", sentence("body.not_utf8", "The body is not UTF-8.")) from None
    except json.JSONDecodeError as error:
        raise Problem(
            "malformed_body",
            sentence(
                "body.not_json_at",
                "The body is not JSON: {error} at character {position}.",
                error=error.msg,
                position=error.pos,
            ),
        ) from None
    except RecursionError:
        raise Problem("malformed_body", sentence("body.nested", "The body is nested too deeply.")) from None
    except ValueError as error:
        raise Problem(
            "malformed_body", sentence("body.not_json", "The body is not JSON: {error}.", error=error)
        ) from None


def too_many_values(most_values: int) -> Problem:
    """The refusal of a body with more JSON values than are read."""
    return Problem(
        "malformed_body",
        sentence("body.values", "The body holds more than {most:,} JSON values.", most=most_values),
    )


def has_at_most(body: bytes, most_values: int) -> bool:
    """Whether a JSON text has no more values than this, counted before it is parsed: by commas and brackets.

    Those within strings are counted apart only where there are more altogether.
    """
    if sum(body.count(mark) for mark in (b",", b"[", b"{")) < most_values:
        return True
    values = strings = 1
    for match in _VALUE_OR_STRING.finditer(body):
        if match[0][:1] == b'"':
            strings += 1
        else:
            values += 1
        # Of what is JSON each value has at most one string for its name and one for itself.
        if values > most_values or strings > 2 * most_values:
            return False
    return True


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    members.clear()
    for key, value in pairs:
        if key in members:
            raise ValueError(sentence("body.key_twice", "the key {key} is given more than once", key=f"{key[:64]!r}"))
        members[key] = value
    return members


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(sentence("body.digits", "a number has more than {most} digits", most=MAX_DIGITS))
    return int(digits)


def _refuse(constant: str) -> Any:
    raise ValueError(sentence("body.constant", "{constant} is not a JSON number", constant=constant))


def validation_failed(request: Request) -> Response:
    """Cornice's error handler: all faults as one problem."""
    errors = [
        field_fault(str(error.get("location", "")), str(error.get("name", "")), str(error.get("description", "")))
        for error in request.errors[:MAX_FAULTS]
    ]
    return problem_response(invalid_request(errors), request)
