"""Serves the web application at ``/``: the files that ``web/`` at the top of the checkout is built into.

The files are answered before credentials and rate limits are looked at: they are the same for everybody and hold
nothing of the installation. The package knows nothing of what the application does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Answer the application's addresses, unless the settings switch it off."""
    from skywatch.core.runtime import runtime_of
    from skywatch.web.settings import WebSettings

    if runtime_of(config.registry).settings.of(WebSettings).web_enabled:
        config.scan("skywatch.web.views")
        config.add_tween(
            "skywatch.web.static_files.files_tween",
            under="skywatch.http.clients.client.named_host_tween",
            over="skywatch.http.clients.cors.cors_tween",
        )
