"""Applications for tests at a fraction of the cost: routes and views are registered once a process.

Applications differ in their runtime, in which the parts of Skywatch declare what they share. One that is made here runs
the same ``includeme`` functions over a registry of its own, but takes routes, views, renderers and tweens from a
template, whose views ask the runtime of the request for everything, the security policy too. Parts that would register
something else (``console_enabled``) get another template.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

from pyramid.config import Configurator
from pyramid.interfaces import ICSRFStoragePolicy
from pyramid.registry import Registry
from pyramid.router import Router

import skywatch
from skywatch.core.runtime import Runtime, runtime_of
from skywatch.http.authentication import security_policy
from skywatch.http.resources.render import JsonRenderer
from skywatch.http.resources.service import ApiService
from skywatch.picture.distribution.sky_request import SkyRequest
from tests import shortcuts
from tests.lanes import costs

_templates: dict[tuple[str, ...], Registry] = {}
# What a part registers for good, by the names of Pyramid and Cornice.
SHARED = (
    "action",
    "add_cornice_service",
    "add_exception_view",
    "add_forbidden_view",
    "add_notfound_view",
    "add_renderer",
    "add_request_method",
    "add_route",
    "add_settings",
    "add_static_view",
    "add_tween",
    "add_view_deriver",
    "scan",
    "set_default_csrf_options",
    "set_locale_negotiator",
)
# Parts that do nothing else.
OF_TEMPLATES = ("skywatch.console.subjects", "skywatch.http.roots")


def make_app(runtime: Runtime) -> Router:
    """What ``skywatch.make_app`` makes, for tests that change neither routes nor views."""
    if not shortcuts.taken:
        return skywatch.make_app(runtime)
    # The first one of a process imports all features.
    with costs.once():
        runtime.features.load_metrics()
        registry = Registry("skywatch")
        registry["runtime"] = runtime
        parts = _Parts(registry)
        for package in runtime.features.includes():
            parts.include(package)
        calls = tuple(parts.calls)
        if calls not in _templates:
            _templates[calls] = _make_template(runtime)
        return Router(_over(registry, _templates[calls]))


def _over(registry: Registry, template: Registry) -> Registry:
    """The registry with the routes and views of a template."""
    # Pyramid looks for views in a registry's own adapters alone, for the rest in those below as well.
    registry.adapters = template.adapters
    registry.utilities.__bases__ = (template.utilities,)
    for name, value in vars(template).items():
        vars(registry).setdefault(name, value)
    registry.has_listeners = template.has_listeners
    registry.settings = template.settings
    return registry


class _Parts:
    """The configurator that parts get: runs what they do by name, and notes what they register for good."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.calls: list[str] = []
        self._directives: dict[str, Callable[..., Any]] = {}
        self._included: set[str] = set()

    def include(self, name: str) -> None:
        if name in self._included:
            return
        self._included.add(name)
        self._note("include", name)
        if name.startswith("skywatch.") and name not in OF_TEMPLATES:
            importlib.import_module(name).includeme(self)

    def add_directive(self, name: str, directive: Callable[..., Any]) -> None:
        self._directives[name] = directive

    def set_csrf_storage_policy(self, policy: Any) -> None:
        self.registry.registerUtility(policy, ICSRFStoragePolicy)

    def set_security_policy(self, policy: Any) -> None:
        # The views of a template ask the policy of their request's application (``_PolicyOfRequest``).
        self._note("set_security_policy", type(policy))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in self._directives:
            return partial(self._directives[name], self)
        if name in SHARED:
            return partial(self._note, name)
        raise AttributeError(f"tests.app_templates has no {name}: is it the same for every application?")

    def _note(self, name: str, *arguments: Any, **options: Any) -> None:
        values = [described(value) for value in arguments]
        values += [f"{option}={described(value)}" for option, value in sorted(options.items())]
        self.calls.append(f"{name}({', '.join(values)})")


def described(value: Any) -> str:
    """What a value is for a template: two of the same text can stand for each other. Raises TypeError for others."""
    if value is None or isinstance(value, str | bytes | bool | int | float):
        return repr(value)
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, FunctionType):
        return _function_text(value)
    if type(value) in (list, tuple):
        return f"[{', '.join(map(described, value))}]"
    if type(value) is dict:
        return f"{{{', '.join(f'{described(key)}: {described(one)}' for key, one in value.items())}}}"
    if isinstance(value, ApiService):
        # Its views are the module's own, and two services have different names.
        return f"service {value.name} at {value.path}"
    if type(value) is JsonRenderer:
        # Has no state.
        return "JsonRenderer"
    raise TypeError(f"tests.app_templates cannot tell one {type(value).__qualname__} from another: {value!r}")


def _function_text(function: FunctionType) -> str:
    # A template would go on with the objects of the application that it was made for.
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    texts = [described(contents) for contents in cells if not isinstance(contents, _Parts)]
    texts += [described(default) for default in function.__defaults__ or ()]
    texts += [described(function.__kwdefaults__)]
    # Lambdas in one place have one name, but not one code.
    return f"{function.__module__}.{function.__qualname__} {hash(function.__code__)}({', '.join(texts)})"


class _PolicyOfRequest:
    """The security policy of the application that a request was sent to."""

    def identity(self, request: Any) -> Any:
        return runtime_of(request.registry).shared(security_policy).identity(request)

    def authenticated_userid(self, request: Any) -> Any:
        return runtime_of(request.registry).shared(security_policy).authenticated_userid(request)

    def permits(self, request: Any, context: Any, permission: str) -> Any:
        return runtime_of(request.registry).shared(security_policy).permits(request, context, permission)


class _Template(Configurator):
    def set_security_policy(self, policy: Any) -> None:
        super().set_security_policy(_PolicyOfRequest())


def _make_template(runtime: Runtime) -> Registry:
    config = _Template(request_factory=SkyRequest)
    config.registry["runtime"] = runtime
    for package in runtime.features.includes():
        config.include(package)
    config.make_wsgi_app()
    registry: Registry = config.registry
    registry.clear()
    return registry
