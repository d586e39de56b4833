"""The OpenAPI 3.1 document, generated from the services and the schemas that validate requests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import colander
from cornice import Service

from skywatch.core.feature import FeatureSet
from skywatch.core.problems import KINDS
from skywatch.core.text.listing import listing
from skywatch.http.openapi.schemas import JsonSchema, SchemaWriter
from skywatch.http.resources.schema import JsonSequence, Schema, code_node, integer_node, params_node, string_node
from skywatch.http.resources.service import BODY_METHODS, NUMBER, Operation, operations
from skywatch.security.permissions import ViewPermission, permission_held

PROBLEM = "application/problem+json"
PAGE = "text/html"
# Permissions without a role: those of the service itself.
SERVICE_PERMISSIONS = frozenset(permission for permission in ViewPermission if permission.held is None)
# Statuses of every call: limits, an unavailable service, internal errors.
ALWAYS = (400, 421, 429, 500, 503)
LOCATION = {"description": "Address of the created resource.", "required": True, "schema": {"type": "string"}}
TITLES = {
    200: "Done",
    201: "Created",
    202: "Accepted",
    204: "No content",
    206: "Partial content",
    302: "Redirect to Location",
    304: "Not modified",
    400: "Invalid request",
    401: "Credentials are missing or invalid",
    403: "Permission denied",
    404: "Not found",
    405: "Method not allowed",
    406: "The client does not accept the form of the answer",
    409: "Conflict with the present state",
    413: "Body too large",
    415: "Unsupported media type",
    416: "Range not satisfiable",
    417: "Incomplete upload",
    421: "The service listens on this machine alone and does not answer to this host name; set base_url",
    429: "Too many requests; see Retry-After",
    500: "Internal error",
    502: "An upstream service failed",
    503: "Temporarily unavailable; see Retry-After",
}


class ProblemError(Schema):
    """One fault of a request."""

    location = string_node("path, querystring, header or body.")
    name = string_node("The field, in dotted form.")
    detail = string_node()
    detail_code = code_node()
    detail_params = params_node()


class ProblemErrors(JsonSequence):
    fault = ProblemError()


class ProblemDocument(Schema):
    """RFC 9457 problem details."""

    type = string_node()
    title = string_node()
    status = integer_node()
    detail = string_node()
    detail_code = code_node()
    detail_params = params_node()
    code = string_node("Stable error code.")
    request_id = string_node(missing=colander.drop)
    errors = ProblemErrors(missing=colander.drop, description="All faults of an invalid request.")


def document(
    services: Iterable[Service], version: str, features: FeatureSet, *, closed: bool = False
) -> dict[str, Any]:
    """The whole document, its groups described by ``features``; ``closed`` is that of SchemaWriter.

    Raises KeyError for a group that no feature declares.
    """
    writer = SchemaWriter(features, closed=closed)
    problem = ProblemDocument()
    problem["code"].validator = colander.OneOf(sorted({*KINDS, *features.problems}))
    writer.write(problem, request=False)
    paths: dict[str, dict[str, Any]] = {}
    in_order = sorted(services, key=lambda service: service.canonical)
    for service in in_order:
        path = re.sub(r"\{(\w+):[^/]*\}", r"{\1}", service.canonical)
        methods = sorted(operations(service), key=lambda o: o.method)
        paths[path] = {o.method.lower(): _operation(writer, o) for o in methods}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Skywatch",
            "version": version,
            "description": _description(features),
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": tag, "description": features.tags[tag]} for tag in sorted({_tag(s) for s in in_order})],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(writer.components.items())),
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
                "api_key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            },
        },
    }


def _description(features: FeatureSet) -> str:
    subjects = listing(features.titles(), "and")
    return f"{subjects[:1].upper()}{subjects[1:]} of one installation."


def _tag(service: Service) -> str:
    parts = service.canonical.strip("/").split("/")
    tag: str = service.tag or (parts[2] if parts[:2] == ["api", "v1"] else parts[0]).removesuffix(".json")
    return tag


def _operation(writer: SchemaWriter, operation: Operation) -> dict[str, Any]:
    service = operation.service
    result: dict[str, Any] = {
        "operationId": operation.operation_id,
        "tags": [_tag(service)],
        "summary": operation.summary,
        "responses": _responses(writer, operation),
    }
    if operation.description:
        result["description"] = operation.description
    parameters = _parameters(writer, operation)
    if parameters:
        result["parameters"] = parameters
    if operation.body is not None:
        schema = writer.write(operation.body, request=True)
        required = any(child.required for child in operation.body.children)
        content = {
            media_type: {"schema": {"type": "string"} if media_type.startswith("text/") else schema}
            for media_type in operation.body_types
        }
        result["requestBody"] = {"required": required, "content": content}
    result["security"] = _security(operation.permission)
    if operation.permission not in SERVICE_PERMISSIONS:
        result["x-permission"] = permission_held(operation.permission)
    return result


def _security(permission: str) -> list[dict[str, list[str]]]:
    """Which credentials a call may carry; an empty one stands for none at all."""
    if permission == ViewPermission.OPEN:
        return [{}]
    if permission == ViewPermission.OWN_ACCOUNT:
        return [{"bearer": []}]
    credentials: list[dict[str, list[str]]] = [{"bearer": []}, {"api_key": []}]
    # The administrator decides whether a feature may be used without credentials.
    return credentials if permission == ViewPermission.IDENTIFIED else [*credentials, {}]


def _parameters(writer: SchemaWriter, operation: Operation) -> list[dict[str, Any]]:
    parameters = []
    names = re.findall(r"\{(\w+)(?::([^/]*))?\}", operation.service.path)
    declared = {node.name: node for node in operation.path.children} if operation.path is not None else {}
    for name, pattern in names:
        if name in declared:
            schema = writer.write(declared[name], request=True)
        elif pattern == NUMBER:
            schema = {"type": "integer", "minimum": 0}
        else:
            schema = {"type": "string"}
        parameters.append(_parameter("path", name, schema, required=True))
    for node in operation.query.children if operation.query is not None else ():
        parameters.append(_parameter("query", node.name, writer.write(node, request=True), required=node.required))
    return parameters


def _parameter(location: str, name: str, schema: JsonSchema, *, required: bool) -> dict[str, Any]:
    parameter: dict[str, Any] = {"name": name, "in": location, "required": required}
    if "description" in schema:
        parameter["description"] = schema.pop("description")
    if schema.get("type") == "array":
        parameter |= {"style": "form", "explode": False}
    return parameter | {"schema": schema}


def _responses(writer: SchemaWriter, operation: Operation) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status, content in operation.responses.items():
        responses[str(status)] = _response(writer, status, content)
    if operation.creates:
        responses["201"]["headers"] = {"Location": LOCATION}
    problem: dict[str, Any] = {PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}}
    if any(isinstance(content, tuple) and PAGE in content for content in operation.responses.values()):
        problem[PAGE] = {}  # An operation with a page shows problems as pages too.
    for status in sorted(_error_statuses(operation)):
        responses.setdefault(str(status), {"description": TITLES[status], "content": dict(problem)})
    return dict(sorted(responses.items()))


def _response(writer: SchemaWriter, status: int, content: Any) -> dict[str, Any]:
    response: dict[str, Any] = {"description": TITLES[status]}
    if isinstance(content, tuple):
        # JSON for programs and a page for people.
        response["content"] = {}
        for part in content:
            response["content"] |= _response(writer, status, part)["content"]
    elif isinstance(content, str):
        response["content"] = {media_type.strip(): {} for media_type in content.split(",")}
    elif content is not None:
        response["content"] = {"application/json": {"schema": writer.write(content, request=False)}}
    return response


def _error_statuses(operation: Operation) -> set[int]:
    # 403 even for open operations: an API key is limited to its scopes.
    statuses = {*ALWAYS, *operation.errors, 401, 403}
    if "{" in operation.service.path:
        statuses.add(404)
    if operation.method in BODY_METHODS:
        statuses |= {413, 415}
    return statuses
