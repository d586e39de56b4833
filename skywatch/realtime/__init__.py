"""The real-time channel: an Autobahn WebSocket server that sends subscribers the sky and its events.

``server.RealtimeServer`` accepts connections. Which topic a subscriber may receive is decided by ``security.policy``
alone; what the topics carry comes from the bus and, after an interruption, from the features' event sources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator

# Seconds that a browser uses its copy of the client for pages without asking again.
CLIENT_MAX_AGE_S = 3600


def includeme(config: Configurator) -> None:
    """The document, and the client for web pages: below the REST API, which every proxy hands on."""
    config.include("skywatch.realtime.views")
    config.add_static_view("api/v1/realtime", "skywatch.realtime:static", cache_max_age=CLIENT_MAX_AGE_S)
