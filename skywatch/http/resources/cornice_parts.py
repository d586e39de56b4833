"""What of Cornice's set-up this application uses: ``config.add_cornice_service`` and ``request.current_service``.

Cornice's own ``includeme`` also subscribes to every request, to give it ``validated``, ``errors`` and ``info`` and to
add two callbacks for responses: one for filters and CORS, which no service has, one for a header that every response
has anyway. ``Request`` has these members from the beginning. Without a subscriber Pyramid looks for none: a tenth of
the cost of a small request.
"""

from __future__ import annotations

from cornice.pyramidhook import register_service_views
from cornice.util import ContentTypePredicate, current_service
from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    config.registry.cornice_services = {}
    config.add_directive("add_cornice_service", register_service_views)
    config.add_view_predicate("content_type", ContentTypePredicate)
    config.add_request_method(current_service, reify=True)
