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
from skywatch.security.contexts import OPEN, OPEN_UNLESS_PRIVATE

description = ApiService("openapi", "/openapi.json", feature=None)
page = ApiService("docs", "/docs", feature=None)


@description.get(permission=OPEN, responses={200: "application/json", 304: None})
def get_openapi(request: Request) -> Response:
    """The OpenAPI 3.1 document of this installation"""
    body, etag = _document(request.registry)
    return not_modified(request, etag) or set_etag(json_response(body), etag)


@page.get(permission=OPEN_UNLESS_PRIVATE, responses={200: "text/html"})
def get_documentation(request: Request) -> Response:
    """The documentation of the API as a page"""
    return json_response(files("skywatch.http").joinpath("static/docs.html").read_bytes(), content_type="text/html")


def _document(registry: Any) -> tuple[bytes, str]:
    # Generated at first use, when every part of the application has been included.
    if "openapi" not in registry:
        body = encode(document(registry.cornice_services.values(), VERSION, registry["runtime"].features))
        registry["openapi"] = body, hashlib.sha256(body).hexdigest()[:16]
    cached: tuple[bytes, str] = registry["openapi"]
    return cached


def includeme(config: Configurator) -> None:
    config.add_cornice_service(description)
    config.add_cornice_service(page)
    config.add_static_view("api/v1/docs/static", "skywatch.http:static", cache_max_age=3600)
