"""The roots of the API's areas, and who may know that there is nothing at an address.

An area is all addresses of one feature that begin with the same part (``/api/v1/alerts/``, ``/data/``). Whoever may
not read it is refused at every address in it, known or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import colander
from cornice import Service
from pyramid.config import Configurator
from pyramid.exceptions import URLDecodeError
from pyramid.httpexceptions import HTTPMethodNotAllowed
from pyramid.response import Response

from skywatch.http.authentication import feature_context
from skywatch.http.errors import denied_response, method_not_allowed_view, not_found_view, undecodable_view
from skywatch.http.requests.links import link_base
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import JsonString, Schema, nullable_node, string_node
from skywatch.http.resources.service import API_PREFIX, ApiService
from skywatch.security.area import area_of
from skywatch.security.permissions import ADMINISTRATION, FEATURES, Permission, ViewPermission
from skywatch.security.policy import decide

ErrorView = Callable[[Any, Request], Response]
READING = ("view", "own", "directory")


class Links(colander.MappingSchema):
    """Name -> address."""

    def schema_type(self) -> colander.Mapping:
        return colander.Mapping(unknown="preserve")


class AreaRoot(Schema):
    """An area and what the caller may read in it."""

    feature = nullable_node(JsonString(), "Null for the whole API.")
    title = string_node()
    links = Links(description="The addresses that the caller may read: their name below the root -> address.")


def reading_permission(feature: str | None) -> str:
    """What views of a feature's area ask for to be read; None is the API itself."""
    if feature is None:
        return ViewPermission.OPEN_UNLESS_PRIVATE
    permission = next(p for p in Permission if p.feature == feature and p.kind in READING)
    shown = (view for view in ViewPermission if view.held is permission and view.kind == "view")
    return str(next(shown, permission))


def show_root(request: Request) -> dict[str, Any]:
    """Name the area and what the caller may read in it

    Only addresses without fields are listed, those of the API itself one part deep.
    """
    service = request.current_service
    root, feature = service.canonical, service.feature
    links = {}
    for each in _services(request):
        name = each.canonical.removeprefix(root).rstrip("/")
        is_below = each.canonical.startswith(root) and name and "{" not in name
        if is_below and (feature is not None or "/" not in name) and _may_read(request, each):
            links[name] = link_base(request) + each.canonical
    title = "Skywatch" if feature is None else request.runtime.features.tags[feature].rstrip(".")
    return {"feature": feature, "title": title, "links": dict(sorted(links.items()))}


def for_readers(view: ErrorView) -> ErrorView:
    """The view of an error that says what is at an address, for who may read the area; others are refused."""

    def show(error: Any, request: Request) -> Response:
        denied = None if area_of(request) is not None else _denied(request)
        return view(error, request) if denied is None else denied_response(denied, request)

    return show


def _denied(request: Request) -> Any:
    """What denies a request the area of its address; None where it may read it, or the address is in no area.

    What is not known below ``/api/v1/`` belongs to the API itself; known addresses of no feature do not.
    """
    path: str = request.environ.get("PATH_INFO", "")
    begin = _begin(path)
    feature = next((s.feature for s in _services(request) if s.feature and _begin(s.canonical) == begin), None)
    if feature is None and (request.matched_route is not None or not path.startswith(API_PREFIX + "/")):
        return None
    decision = decide(feature_context(request, feature), request.identity, reading_permission(feature))
    return None if decision else decision


def _services(request: Request) -> Iterable[Service]:
    services: dict[str, Service] = request.registry.cornice_services
    return services.values()


def _may_read(request: Request, service: Service) -> bool:
    """Whether the caller may read what is at an address."""
    return any(
        decide(feature_context(request, service.feature), request.identity, arguments["permission"])
        for method, _, arguments in service.definitions
        if method == "GET"
    )


def _begin(path: str) -> str:
    """The part of an address that says its area: ``/api/v1/alerts`` or ``/data``."""
    depth = 4 if path.startswith(API_PREFIX + "/") else 2
    return "/".join(path.split("/", depth)[:depth])


def includeme(config: Configurator) -> None:
    """Add the roots that are no list, and the errors of areas; to be included after all features."""
    config.add_notfound_view(for_readers(not_found_view))
    config.add_exception_view(for_readers(undecodable_view), context=URLDecodeError)
    config.add_exception_view(for_readers(method_not_allowed_view), context=HTTPMethodNotAllowed)
    for feature in (None, *(feature for feature in FEATURES if feature not in ADMINISTRATION)):
        path = "" if feature is None else f"/{feature}"
        if API_PREFIX + path in config.registry.cornice_services:
            continue
        name = feature or "api"
        service = ApiService(f"root.{name}", path or "/", feature=feature, trailing_slash=True, tag=feature or "docs")
        service.get(
            permission=reading_permission(feature), operation_id=f"get_{name}_root", responses={200: AreaRoot()}
        )(show_root)
        config.add_cornice_service(service)
