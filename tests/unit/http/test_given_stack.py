"""What is used of Pyramid, Cornice and pyramid-jwt beyond their documented interfaces, by name.

``setup.py`` admits the minor versions that were read for it. docs/decisions/0002-given-stack.md says what would take
their place.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import inspect
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cornice.errors import Errors
from cornice.pyramidhook import add_nosniff_header, apply_filters, register_service_views, wrap_request
from cornice.service import Service
from cornice.util import ContentTypePredicate, current_service
from cornice.validators import colander_validator
from pyramid.config import Configurator
from pyramid.config.routes import RoutesConfiguratorMixin
from pyramid.interfaces import IRequestExtensions, IRoutesMapper
from pyramid.request import Request
from pyramid.urldispatch import Route, RoutesMapper, _compile_route
from pyramid_jwt.policy import JWTAuthenticationPolicy
from webtest import TestApp

from skywatch.http.requests.request import Request as OurRequest

ROOT = Path(__file__).resolve().parents[3]
REQUIREMENTS = {"pyramid": ">=2.0.2,<2.2", "cornice": ">=6.1,<6.2", "pyramid-jwt": ">=1.6.1,<1.7"}
NAMES: dict[Any, tuple[str, ...]] = {
    Service: ("add_view", "path", "name"),
    Errors: ("add",),
    RoutesMapper: ("connect", "routelist", "static_routes", "routes", "__call__"),
    Route: ("name", "pattern", "path", "factory", "predicates", "pregenerator", "match", "generate"),
    RoutesConfiguratorMixin: ("get_routes_mapper",),
    JWTAuthenticationPolicy: ("create_token", "algorithm"),
    Request: ("current_route_url", "add_response_callback"),
}
SIGNATURES: dict[Any, tuple[str, ...]] = {
    Service.__init__: ("self", "name", "path", "depth", "kw"),
    Service.add_view: ("self", "method", "view", "kwargs"),
    RoutesMapper.connect: ("self", "name", "pattern", "factory", "predicates", "pregenerator", "static"),
    _compile_route: ("route",),
    colander_validator: ("request", "schema", "deserializer", "kwargs"),
    register_service_views: ("config", "service"),
    ContentTypePredicate.__init__: ("self", "val", "config"),
    current_service: ("request",),
    JWTAuthenticationPolicy.__init__: ("self", "private_key", "algorithm"),
    JWTAuthenticationPolicy.create_token: ("self", "principal", "expiration", "claims"),
}


@pytest.mark.parametrize("package", REQUIREMENTS)
def test_setup_admits_the_minor_version_that_was_read(package: str) -> None:
    assert f'"{package}{REQUIREMENTS[package]}"' in (ROOT / "setup.py").read_text(encoding="utf-8")
    highest = tuple(map(int, re.findall(r"<([0-9.]+)", REQUIREMENTS[package])[0].split(".")))
    assert tuple(map(int, importlib.metadata.version(package).split(".")[:2])) < highest


def test_the_libraries_have_what_is_used() -> None:
    for kind, names in NAMES.items():
        source = inspect.getsource(kind)
        for name in names:
            there = hasattr(kind, name) or re.search(rf"\bself\.{name}\b|\b{name} = Attribute", source)
            assert there, f"{kind}.{name} has gone"


def test_parameters_are_those_that_are_given() -> None:
    for function, expected in SIGNATURES.items():
        assert set(expected) <= set(inspect.signature(function).parameters), function.__qualname__


def test_cornice_registers_its_services() -> None:
    config = Configurator()
    config.include("skywatch.http.resources.service")
    service = Service("sky", "/sky")
    config.add_cornice_service(service)
    assert list(config.registry.cornice_services.values()) == [service]
    assert config.registry.queryUtility(IRoutesMapper) is not None


def test_requests_have_what_cornice_gives_to_each(client: TestApp) -> None:
    theirs = Request({})
    theirs.registry = SimpleNamespace(settings={})
    before = set(vars(theirs))
    wrap_request(SimpleNamespace(request=theirs))
    given = {name: value for name, value in vars(theirs).items() if name not in before}
    # One looks for filters and CORS, which no service has, one sets a header that every response has.
    assert list(given.pop("response_callbacks")) == [apply_filters, add_nosniff_header]
    assert {name: vars(OurRequest({}))[name] for name in given} == given
    services = client.app.registry.cornice_services.values()
    assert services
    assert not any(service.cors_enabled for service in services)
    assert not any(options.get("filters") for service in services for _, _, options in service.definitions)


def test_no_subscriber_is_looked_for_at_a_request(client: TestApp) -> None:
    assert not client.app.registry.has_listeners


def test_request_extensions_have_what_is_taken_from_them() -> None:
    assert {"methods", "descriptors"} <= set(IRequestExtensions.names())
