"""Where a request comes from: the client's address and scheme, from a proxy's headers only where it is trusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from skywatch.core.network.addresses import TrustedProxies
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings


def client_tween(handler: Callable[[Request], Response], registry: Any) -> Callable[[Request], Response]:
    """Set ``request.client_address``, and the scheme that the client used."""
    proxies = TrustedProxies(registry["runtime"].settings.of(HttpSettings).trusted_proxy)

    def tween(request: Request) -> Response:
        peer = request.environ.get("REMOTE_ADDR", "")
        request.client_address = proxies.client_address(peer, request.environ.get("HTTP_X_FORWARDED_FOR"))
        if peer in proxies:
            scheme = request.environ.get("HTTP_X_FORWARDED_PROTO", "").strip().lower()
            if scheme in ("http", "https"):
                request.environ["wsgi.url_scheme"] = scheme
        return handler(request)

    return tween


def includeme(config: Configurator) -> None:
    config.add_request_method(lambda request: request.environ.get("REMOTE_ADDR", ""), "client_address", reify=True)
