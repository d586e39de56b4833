"""Where a request comes from: address, scheme and path prefix, from a proxy's headers if it is trusted.

And whether it comes from this machine, and was sent to a host that the service answers to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from skywatch.core.network.addresses import FORWARDING_HEADERS, TrustedProxies
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime, runtime_of
from skywatch.http.clients.locality import MISDIRECTED, Locality
from skywatch.http.errors import problem_response
from skywatch.http.prefix import INGRESS_HEADER, configured_prefix, forwarded_prefix
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings

_FORWARDING = tuple(f"HTTP_{name.upper().replace('-', '_')}" for name in FORWARDING_HEADERS)


def client_tween(handler: Callable[[Request], Response], registry: Any) -> Callable[[Request], Response]:
    """Set ``request.client_address``, the scheme that the client used, and the path prefix that it knows."""
    settings = runtime_of(registry).settings.of(HttpSettings)
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


def locality(runtime: Runtime) -> Locality:
    """The rules of the address that the API listens on."""
    settings = runtime.settings.of(HttpSettings)
    return Locality(settings, settings.listen)


def is_local(request: Request) -> bool:
    """Whether the client is on this machine."""
    return request.runtime.shared(locality).is_local(*_route(request), forwarded=_is_forwarded(request))


def named_host_tween(handler: Callable[[Request], Response], registry: Any) -> Callable[[Request], Response]:
    """Refuse requests that name a host which a service of this machine alone does not answer to."""
    rules = runtime_of(registry).shared(locality)

    def tween(request: Request) -> Response:
        if rules.is_misdirected(*_route(request), forwarded=_is_forwarded(request)):
            return problem_response(Problem("misdirected_request", MISDIRECTED), request)
        return handler(request)

    return tween


def _route(request: Request) -> tuple[str, str | None]:
    """The address of the connection, and the host that the request names."""
    return request.environ.get("REMOTE_ADDR", ""), request.environ.get("HTTP_HOST")


def _is_forwarded(request: Request) -> bool:
    return not request.environ.keys().isdisjoint(_FORWARDING)


def includeme(config: Configurator) -> None:
    config.add_request_method(lambda request: request.environ.get("REMOTE_ADDR", ""), "client_address", reify=True)
    config.add_request_method(lambda _: "", "path_prefix", reify=True)
    config.add_request_method(lambda _: False, "is_framed", reify=True)
    config.add_request_method(lambda _: (), "frame_origins", reify=True)
