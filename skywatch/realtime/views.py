"""The AsyncAPI document of the channel."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import msgspec
from pyramid.response import Response

from skywatch.core.process.version import VERSION
from skywatch.http.clients.channel import channel_address
from skywatch.http.lists.conditional import not_modified, set_etag
from skywatch.http.requests.request import Request
from skywatch.http.resources.render import encode, json_response
from skywatch.http.resources.service import ApiService
from skywatch.http.settings import HttpSettings
from skywatch.security.permissions import ViewPermission

if TYPE_CHECKING:
    from pyramid.config import Configurator

    from skywatch.core.runtime import Runtime

YAML = "application/yaml"
json_document = ApiService("asyncapi", "/asyncapi.json", feature=None, tag="openapi")
yaml_document = ApiService("asyncapi_yaml", "/asyncapi.yaml", feature=None, tag="openapi")


@json_document.get(permission=ViewPermission.OPEN, responses={200: "application/json", 304: None})
def get_asyncapi(request: Request) -> Response:
    """The AsyncAPI 3.1 document of the real-time channel"""
    return _answer(request, encode(request.runtime.shared(_document) | _servers(request)), "application/json")


@yaml_document.get(permission=ViewPermission.OPEN, responses={200: YAML, 304: None})
def get_asyncapi_yaml(request: Request) -> Response:
    """The AsyncAPI 3.1 document of the real-time channel, as YAML"""
    return _answer(request, f"{request.runtime.shared(_yaml)}{_as_yaml(_servers(request))}".encode(), YAML)


def _answer(request: Request, body: bytes, content_type: str) -> Response:
    etag = hashlib.sha256(body).hexdigest()[:16]
    return not_modified(request, etag) or set_etag(json_response(body, content_type=content_type), etag)


def _document(runtime: Runtime) -> dict[str, Any]:
    # Few processes are asked for it, and it takes the whole channel.
    from skywatch.realtime.document import document

    return document(runtime.features, VERSION, runtime.settings)


def _servers(request: Request) -> dict[str, Any]:
    """What depends on the address by which the service is reached."""
    from skywatch.realtime.document import servers

    http = request.runtime.settings.of(HttpSettings)
    address = channel_address(http, request.host_url, request.path_prefix)
    return {"servers": servers(address, http.realtime_path)}


def _yaml(runtime: Runtime) -> str:
    return _as_yaml(runtime.shared(_document))


def _as_yaml(document: dict[str, Any]) -> str:
    import yaml

    # Decoded again, no object is in it twice: YAML would refer to it by an anchor.
    plain = msgspec.json.decode(encode(document))
    text: str = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=120)
    return text


def includeme(config: Configurator) -> None:
    config.add_cornice_service(json_document)
    config.add_cornice_service(yaml_document)
