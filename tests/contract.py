"""A WebTest client that holds every response against the OpenAPI document of the application under test."""

from __future__ import annotations

import json
import re
from functools import cache, cached_property, lru_cache
from typing import Any

import jsonschema_rs
from cornice import Service
from webtest import TestApp

from skywatch.features import FEATURES
from skywatch.http.openapi.document import document


@cache
def _document(services: tuple[Service, ...]) -> dict[str, Any]:
    """The document of these services, which many applications share (``tests.app_templates``)."""
    return document(services, "test", FEATURES, closed=True)


@cache
def _paths(templates: tuple[str, ...]) -> list[tuple[re.Pattern[str], str]]:
    # Words before placeholders, as the router has them.
    paths = sorted(templates, key=lambda path: (path.count("{"), path))
    return [(re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(p.rstrip("/"))) + "/?"), p) for p in paths]


@lru_cache(4096)
def _template(templates: tuple[str, ...], path: str) -> str | None:
    """The path of the document that a path of a request belongs to."""
    return next((template for pattern, template in _paths(templates) if pattern.fullmatch(path)), None)


_REFERENCE = re.compile(r'"#/components/schemas/([^"/]+)')
_validators: dict[int, jsonschema_rs.Draft202012Validator] = {}


class ContractBroken(AssertionError):
    """A response that the document does not allow."""


class CheckedApp(TestApp):
    """Fails a test whose response has an undocumented status or media type, or breaks its schema."""

    @cached_property
    def document(self) -> dict[str, Any]:
        return _document(tuple(self.app.registry.cornice_services.values()))

    @cached_property
    def _templates(self) -> tuple[str, ...]:
        return tuple(self.document["paths"])

    def do_request(self, req: Any, status: Any = None, expect_errors: Any = None) -> Any:
        path, method = req.environ["PATH_INFO"], req.method
        response = super().do_request(req, status, expect_errors)
        self._check(path, method, response)
        return response

    def _check(self, path: str, method: str, response: Any) -> None:
        template = _template(self._templates, path)
        if template is None:
            return
        operation = self.document["paths"][template].get(("get" if method == "HEAD" else method).lower())
        if operation is None:
            # Who may not read the area of an address is not told its methods.
            if response.status_code not in ((200, 204, 405) if method == "OPTIONS" else (401, 403, 405)):
                raise ContractBroken(f"{method} {template} is not documented but gave {response.status}")
            return
        documented = operation["responses"].get(str(response.status_code))
        if documented is None:
            raise ContractBroken(
                f"{method} {template} gave {response.status}, which is not documented: {response.text[:300]}"
            )
        content = documented.get("content")
        if method == "HEAD" or content is None:
            return
        if response.content_type not in content:
            raise ContractBroken(f"{method} {template}: {response.content_type} is not documented ({list(content)})")
        schema = content[response.content_type].get("schema")
        if schema is not None:
            self._validate(schema, response, f"{method} {template} {response.status_code}")

    def _validate(self, schema: dict[str, Any], response: Any, where: str) -> None:
        faults = [
            f"{'/'.join(map(str, e.instance_path))}: {e.message[:200]}"
            for e in self._validator(schema).iter_errors(response.json)
        ]
        if faults:
            raise ContractBroken(f"{where} breaks its schema: " + "; ".join(faults[:5]))

    def _validator(self, schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
        # Documents stay as long as the process, and so do their schemas.
        if id(schema) not in _validators:
            _validators[id(schema)] = _validator_of(json.dumps(_with_components(schema, self.document)))
        return _validators[id(schema)]


@cache
def _validator_of(schema: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(json.loads(schema))


def _with_components(schema: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """A schema with those of the document that it needs: with all of them a validator takes megabytes."""
    all_schemas, needed = document["components"]["schemas"], {}
    unread = [schema]
    while unread:
        for name in _REFERENCE.findall(json.dumps(unread.pop())):
            if name not in needed:
                needed[name] = all_schemas[name]
                unread.append(needed[name])
    return {**schema, "components": {"schemas": needed}}
