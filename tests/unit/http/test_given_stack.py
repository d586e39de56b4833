"""What is used of Pyramid, Cornice and pyramid-jwt beyond their documented interfaces, by name.

``setup.py`` admits the minor versions that were read for it. docs/decisions/0002-given-stack.md says what would take
their place.
"""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cornice
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

from skywatch.core.process import resource_api
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


def names_used_of_pkg_resources(package: str) -> set[str]:
    folder = Path(importlib.util.find_spec(package).submodule_search_locations[0])  # type: ignore[union-attr, index]
    names: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "pkg_resources":
                names.update(alias.name for alias in node.names)
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("pkg_resources", "self.pkg_resources"):
                names.add(node.attr)
    return names


@pytest.mark.parametrize("package", ["pyramid", "cornice", "pyramid_jwt", "pyramid_jinja2", "pyramid_tm"])
def test_stand_in_has_what_is_used_of_pkg_resources(package: str) -> None:
    missing = {name for name in names_used_of_pkg_resources(package) if not hasattr(resource_api, name)}
    assert not missing


def test_pyramid_uses_pkg_resources_still() -> None:
    """When this fails, ``skywatch/core/process/resource_api.py`` may go (docs/decisions/0003-pkg-resources.md)."""
    assert names_used_of_pkg_resources("pyramid") | names_used_of_pkg_resources("cornice")


@pytest.mark.deep("costs over a processor second")
def test_application_starts_without_setuptools() -> None:
    script = """
import sys
from importlib.abc import MetaPathFinder
class Blocker(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("setuptools", "pkg_resources"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocker())
import skywatch
from skywatch.core.database.migrations import upgrade
from skywatch.core.runtime import Runtime
from skywatch.features import load
skywatch.make_app(Runtime.open(load({"environment": "development"}, {})))
assert sys.modules["pkg_resources"].__name__ == "skywatch.core.process.resource_api"
assert not any(name.split(".")[0] == "setuptools" for name in sys.modules)
print("started")
"""
    done = subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", script], capture_output=True, text=True)
    assert done.stdout.endswith("started\n"), done.stderr


def test_request_extensions_have_what_is_taken_from_them() -> None:
    assert {"methods", "descriptors"} <= set(IRequestExtensions.names())


def test_stand_in_reads_files_of_a_package() -> None:
    package, folder = "skywatch.http", ROOT / "skywatch" / "http"
    assert Path(resource_api.resource_filename(package, "")) == folder
    assert Path(resource_api.resource_filename(package, "static")) == folder / "static"
    assert resource_api.resource_isdir(package, "static")
    assert not resource_api.resource_isdir(package, "feature.py")
    assert not resource_api.resource_exists(package, "missing.py")
    assert resource_api.resource_string(package, "feature.py") == (folder / "feature.py").read_bytes()
    assert "feature.py" in resource_api.resource_listdir(package, "")


def test_stand_in_knows_versions_of_distributions() -> None:
    assert resource_api.get_distribution("cornice").version == cornice.__version__
