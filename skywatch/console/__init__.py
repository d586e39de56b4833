"""The administrative console: pages for whoever runs the installation, rendered here, complete without script.

Its session is proved by a cookie that counts at its addresses alone; credentials of the API count for nothing there,
but for an access token that enters it. The pages hold no rules: they ask and change through the services that the API
uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator

HEADERS = {
    # Nothing inline but the icon, and nothing from elsewhere; forms go to the service itself.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    # Without any referrer browsers would hide the origin of a form as well.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def includeme(config: Configurator) -> None:
    """Add the pages, their session and their forms, unless the settings switch the console off."""
    from skywatch.console.forms.form import protect_forms
    from skywatch.console.pages.problems import show_problem
    from skywatch.console.routes import (
        ENTER,
        HOME,
        LANGUAGE,
        MAX_BODY_BYTES,
        RESET,
        SCRIPT,
        SETUP,
        SIGN_IN,
        SIGN_ON,
        SIGN_OUT,
        SIGNED_ON,
        STYLE,
        Pages,
        add_routes,
    )
    from skywatch.console.sessions.session import Sessions
    from skywatch.console.settings import ConsoleSettings
    from skywatch.console.subjects import load_pages
    from skywatch.core.runtime import runtime_of
    from skywatch.security.area import Area

    runtime = runtime_of(config.registry)
    if not runtime.settings.of(ConsoleSettings).console_enabled:
        return
    config.add_area(Area(HOME, [runtime.shared(Sessions).identify], show_problem, MAX_BODY_BYTES, HEADERS))
    for method, path, bucket in (
        ("GET", SIGN_IN, "anon"),
        ("HEAD", SIGN_IN, "anon"),
        ("POST", SIGN_IN, "login"),
        ("GET", SIGN_ON, "anon"),
        ("GET", SIGNED_ON, "anon"),
        ("POST", SIGN_OUT, "anon"),
        ("GET", RESET, "anon"),
        ("HEAD", RESET, "anon"),
        ("POST", RESET, "login"),
        ("GET", SETUP, "anon"),
        ("HEAD", SETUP, "anon"),
        ("POST", SETUP, "login"),
        ("POST", ENTER, "login"),
        ("GET", STYLE, "anon"),
        ("GET", SCRIPT, "anon"),
        ("GET", LANGUAGE, "anon"),
    ):
        config.add_throttle_bucket(method, path, bucket)
    config.include("skywatch.console.texts.language")
    config.include("skywatch.console.pages.layout")
    config.include("skywatch.console.pages.renderer")
    protect_forms(config)
    pages = runtime.shared(Pages)
    pages.add(load_pages())
    add_routes(config, pages)
    for path, max_bytes in pages.uploads.items():
        config.add_body_limit(path, max_bytes)
    config.include("skywatch.console.subjects")
