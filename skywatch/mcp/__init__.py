"""Questions of assistants: the Model Context Protocol at ``/mcp``, whose tools are calls of the REST API.

``tools`` names the calls and makes them as the caller, ``protocol`` reads and answers messages, ``resources`` holds
what explains the answers. There is no other way to any data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The endpoint."""
    config.scan("skywatch.mcp.views")
