"""Renders the templates of the console, which are made with the first page."""

from __future__ import annotations

from typing import Any

from pyramid.config import Configurator

from skywatch.console.routes import HOME
from skywatch.web.settings import WebSettings


class Renderer:
    """A template in the language of each request; tables ask for the console's address in every row."""

    def __init__(self, info: Any) -> None:
        self._name = info.name

    def __call__(self, values: dict[str, Any], system: dict[str, Any]) -> str:
        """The page of what a view gave."""
        # Imported with the first page: Jinja and the templates take 4 MB.
        from skywatch.console.pages.templates import environments

        request = system["request"]
        has_web = request.runtime.settings.of(WebSettings).web_enabled
        template = environments(has_web)[request.locale_name].get_template(self._name)
        return template.render({**system, **values, "console_home": request.path_prefix + HOME})


def includeme(config: Configurator) -> None:
    """Templates by their bare names."""
    config.add_renderer(".jinja2", Renderer)
