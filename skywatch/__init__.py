"""Skywatch: a self-hosted, real-time aircraft tracking service.

Whatever is imported of Skywatch passes here first, the client and each command too. So what the application needs is
imported where it is made.
"""

from __future__ import annotations

import dataclasses
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyramid.router import Router

    from skywatch.core.runtime import Runtime

# Pyramid and Cornice import it, and require a setuptools that has it: nobody who runs a service can act on the warning.
warnings.filterwarnings("ignore", message="pkg_resources is deprecated", category=UserWarning)


def main(global_config: dict[str, str] | None = None, **settings: Any) -> Router:
    """The WSGI application (PasteDeploy app factory): parse the settings, open the means, add the features.

    In development an empty database gets its schema and the default roles first.
    """
    from skywatch.core.database.migrations import check_schema
    from skywatch.core.runtime import Runtime
    from skywatch.features import load
    from skywatch.serving.preparation import is_empty, make_folder, prepare
    from skywatch.sso.defaults import check_default_roles

    parsed = load(settings)
    if file := (global_config or {}).get("__file__"):
        parsed = dataclasses.replace(parsed, ini=file)
    make_folder(parsed)
    runtime = Runtime.open(parsed)
    if runtime.settings.environment == "development" and is_empty(runtime.engine):
        prepare(runtime.engine, runtime.sessions)
    check_schema(runtime.engine)
    check_default_roles(runtime)
    return make_app(runtime)


def make_app(runtime: Runtime) -> Router:
    """The WSGI application over means that are already open."""
    from pyramid.config import Configurator

    from skywatch.picture.distribution.sky_request import SkyRequest

    runtime.features.load_metrics()
    config = Configurator(request_factory=SkyRequest)
    config.registry["runtime"] = runtime  # Read by ``runtime_of``.
    for package in runtime.features.includes():
        config.include(package)
    return config.make_wsgi_app()


__all__ = ["main", "make_app"]
