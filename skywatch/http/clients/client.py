"""Where a request comes from: address, scheme and path prefix, from a proxy's headers if it is trusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from skywatch.core.network.addresses import TrustedProxies
from skywatch.http.clients.prefix import INGRESS_HEADER, configured_prefix, forwarded_prefix
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings


def client_tween(handler: Callable[[Request], Response], registry: Any) -> Callable[[Request], Response]:
    """Set ``request.client_address``, the scheme that the client used, and the path prefix that it knows."""
    settings = registry["runtime"].settings.of(HttpSettings)
    proxies, configured = TrustedProxies(settings.trusted_proxy), configured_prefix(settings.base_url)

    def tween(request: Request) -> Response:
        peer = request.environ.get("REMOTE_ADDR", "")
        request.client_address = proxies.client_address(peer, request.environ.get("HTTP_X_FORWARDED_FOR"))
        request.path_prefix = configured
        if peer in proxies:
            forwarded = forwarded_prefix(request.environ)
            request.path_prefix = configured or forwarded
            request.is_framed = bool(forwarded) and INGRESS_HEADER in request.environ
            scheme = request.environ.get("HTTP_X_FORWARDED_PROTO", "").strip().lower()
            if scheme in ("http", "https"):
                request.environ["wsgi.url_scheme"] = scheme
        return handler(request)

    return tween


def includeme(config: Configurator) -> None:
    config.add_request_method(lambda request: request.environ.get("REMOTE_ADDR", ""), "client_address", reify=True)
    config.add_request_method(lambda _: "", "path_prefix", reify=True)
    config.add_request_method(lambda _: False, "is_framed", reify=True)
    config.add_request_method(lambda _: (), "frame_origins", reify=True)
