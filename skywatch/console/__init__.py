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
        add_routes,
        reset_address,
    )
    from skywatch.console.sessions.first_run import FirstRun
    from skywatch.console.sessions.session import Sessions
    from skywatch.console.settings import ConsoleSettings
    from skywatch.console.subjects import load_pages
    from skywatch.security.area import Area

    settings = config.registry["runtime"].settings.of(ConsoleSettings)
    if not settings.console_enabled:
        return
    sessions = Sessions(settings, config.registry["authenticator"])
    config.registry["console_sessions"] = sessions
    config.add_area(Area(HOME, [sessions.identify], show_problem, MAX_BODY_BYTES, HEADERS))
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
    config.registry["password_link"] = reset_address
    config.registry["first_run"] = FirstRun(settings, config.registry["setup"])
    protect_forms(config)
    pages = load_pages()
    config.registry["console_pages"] = pages
    add_routes(config, pages)
    uploads = {HOME + page.path: page.upload_bytes(settings) for page in pages if page.upload_bytes is not None}
    config.registry["console_uploads"] = uploads
    config.registry.setdefault("body_limits", {}).update(uploads)
    config.scan("skywatch.console.views")
