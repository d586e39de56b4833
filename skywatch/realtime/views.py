"""The AsyncAPI document of the channel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyramid.response import Response

from skywatch.core.process.version import VERSION
from skywatch.http.clients.channel import channel_address
from skywatch.http.lists.conditional import not_modified, set_etag
from skywatch.http.openapi.views import EncodedDocument
from skywatch.http.requests.request import Request
from skywatch.http.resources.render import encode, json_response
from skywatch.http.resources.service import ApiService
from skywatch.http.settings import HttpSettings
from skywatch.security.permissions import ViewPermission

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyramid.config import Configurator

YAML = "application/yaml"
json_document = ApiService("asyncapi", "/asyncapi.json", feature=None, tag="openapi")
yaml_document = ApiService("asyncapi_yaml", "/asyncapi.yaml", feature=None, tag="openapi")


@json_document.get(permission=ViewPermission.OPEN, responses={200: "application/json", 304: None})
def get_asyncapi(request: Request) -> Response:
    """The AsyncAPI 3.1 document of the real-time channel"""
    return _answer(request, encode, "application/json")


@yaml_document.get(permission=ViewPermission.OPEN, responses={200: YAML, 304: None})
def get_asyncapi_yaml(request: Request) -> Response:
    """The AsyncAPI 3.1 document of the real-time channel, as YAML"""
    return _answer(request, _as_yaml, YAML)


class _AsyncApi(EncodedDocument):
    pass


def _answer(request: Request, encoder: Callable[[Any], bytes], content_type: str) -> Response:
    # Few processes are asked for it, and it takes the whole channel.
    from skywatch.realtime.document import document, servers

    runtime = request.runtime
    http = runtime.settings.of(HttpSettings)
    address = channel_address(http, request.host_url, request.path_prefix)
    body, etag = runtime.shared(_AsyncApi).variant(
        f"{content_type} {address}",
        lambda: document(runtime.features, VERSION, runtime.settings),
        encoder,
        servers=servers(address, http.realtime_path),
    )
    return not_modified(request, etag) or set_etag(json_response(body, content_type=content_type), etag)


def _as_yaml(document: Any) -> bytes:
    import yaml

    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)
    return text.encode()


def includeme(config: Configurator) -> None:
    config.add_cornice_service(json_document)
    config.add_cornice_service(yaml_document)
