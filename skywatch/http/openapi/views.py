"""``openapi.json`` and the documentation page."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from skywatch.core.process.version import VERSION
from skywatch.http.lists.conditional import not_modified, set_etag
from skywatch.http.openapi.document import document
from skywatch.http.requests.request import Request
from skywatch.http.resources.render import encode, json_response
from skywatch.http.resources.service import ApiService
from skywatch.security.contexts import OPEN

# Documents kept encoded, one for each path prefix.
MAX_BODIES = 4
description = ApiService("openapi", "/openapi.json", feature=None)
page = ApiService("docs", "/docs", feature=None)


@description.get(permission=OPEN, responses={200: "application/json", 304: None})
def get_openapi(request: Request) -> Response:
    """The OpenAPI 3.1 document of this installation"""
    body, etag = _document(request.registry, request.path_prefix)
    return not_modified(request, etag) or set_etag(json_response(body), etag)


@page.get(permission=OPEN, responses={200: "text/html"})
def get_documentation(request: Request) -> Response:
    """The documentation of the API as a page"""
    text = files("skywatch.http").joinpath("static/docs.html").read_bytes()
    text = text.replace(b'="/api/', f'="{request.path_prefix}/api/'.encode())
    return json_response(text, content_type="text/html")


def _document(registry: Any, prefix: str) -> tuple[bytes, str]:
    # Generated at first use, when every part of the application has been included.
    if "openapi" not in registry:
        registry["openapi"] = document(registry.cornice_services.values(), VERSION, registry["runtime"].features)
    cached: dict[str, tuple[bytes, str]] = registry.setdefault("openapi_bodies", {})
    if prefix not in cached:
        if len(cached) >= MAX_BODIES:
            cached.clear()
        body = encode({**registry["openapi"], "servers": [{"url": prefix or "/"}]})
        cached[prefix] = body, hashlib.sha256(body).hexdigest()[:16]
    return cached[prefix]


def includeme(config: Configurator) -> None:
    config.add_cornice_service(description)
    config.add_cornice_service(page)
    config.add_static_view("api/v1/docs/static", "skywatch.http:static", cache_max_age=3600)
