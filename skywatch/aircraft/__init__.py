"""Live aircraft over REST: the list and its filters, single aircraft, trails, and readsb's own files.

Everything is read from the ``Sky`` of the last tick; nothing here queries a database for live data.
"""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The resources of this feature; words of the address come before addresses of aircraft."""
    from skywatch.aircraft import airframe_views, live, readsb_files, summaries, views

    config.add_request_method(live.rights_of, "aircraft_rights", reify=True)

    for service in (
        views.aircraft_list,
        summaries.nearest,
        summaries.stats,
        summaries.top,
        summaries.geojson,
        airframe_views.lookup,
        airframe_views.airframe,
        views.trail,
        views.one_aircraft,
        readsb_files.aircraft_json,
        readsb_files.receiver_json,
    ):
        config.add_cornice_service(service)
