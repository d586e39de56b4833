"""``openapi.json`` and the documentation page."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from cornice import Service
from pyramid.config import Configurator
from pyramid.response import Response

from skywatch.core.process.version import VERSION
from skywatch.core.runtime import Runtime
from skywatch.http.lists.conditional import not_modified, set_etag
from skywatch.http.openapi.document import document
from skywatch.http.requests.request import Request
from skywatch.http.resources.render import encode, json_response
from skywatch.http.resources.service import ApiService
from skywatch.security.permissions import ViewPermission

# Documents kept encoded, one for each path prefix.
MAX_BODIES = 4
description = ApiService("openapi", "/openapi.json", feature=None)
page = ApiService("docs", "/docs", feature=None)


@description.get(permission=ViewPermission.OPEN, responses={200: "application/json", 304: None})
def get_openapi(request: Request) -> Response:
    """The OpenAPI 3.1 document of this installation"""
    body, etag = request.runtime.shared(_Documents).body(
        request.registry.cornice_services.values(), request.path_prefix
    )
    return not_modified(request, etag) or set_etag(json_response(body), etag)


@page.get(permission=ViewPermission.OPEN, responses={200: "text/html"})
def get_documentation(request: Request) -> Response:
    """The documentation of the API as a page"""
    text = files("skywatch.http").joinpath("static/docs.html").read_bytes()
    text = text.replace(b'="/api/', f'="{request.path_prefix}/api/'.encode())
    return json_response(text, content_type="text/html")


class _Documents:
    """The encoded document and its validator for each path prefix."""

    def __init__(self, runtime: Runtime) -> None:
        self._features = runtime.features
        self._document: dict[str, Any] | None = None
        self._bodies: dict[str, tuple[bytes, str]] = {}

    def body(self, services: Iterable[Service], prefix: str) -> tuple[bytes, str]:
        """The body and its validator; generated at first use, when every part of the application is included."""
        if self._document is None:
            self._document = document(services, VERSION, self._features)
        body = self._bodies.get(prefix)
        if body is None:
            if len(self._bodies) >= MAX_BODIES:
                self._bodies.clear()
            encoded = encode({**self._document, "servers": [{"url": prefix or "/"}]})
            body = self._bodies[prefix] = encoded, hashlib.sha256(encoded).hexdigest()[:16]
        return body


def includeme(config: Configurator) -> None:
    config.add_cornice_service(description)
    config.add_cornice_service(page)
    config.add_static_view("api/v1/docs/static", "skywatch.http:static", cache_max_age=3600)
