"""The subjects of the console, in the order of its navigation.

To add one: write ``views/<room>/<subject>.py`` with its ``PAGES`` and its views, its templates, and name it here.
"""

from __future__ import annotations

import importlib

from pyramid.config import Configurator

from skywatch.console.page import Page

SUBJECTS = (
    "service.overview",
    # Receivers
    "receivers.receivers",
    "receivers.receiver",
    "receivers.discovery",
    "receivers.station",
    # People
    "people.users",
    "people.user",
    "people.user_edit",
    "people.service_accounts",
    "people.access",
    "people.keys",
    "people.roles",
    "people.mappings",
    "people.providers",
    # Alerts and channels
    "service.channels",
    "service.channel_networks",
    "service.thresholds",
    # Data
    "service.retention",
    "service.backups",
    "service.known_aircraft",
    "receivers.airframes",
    "service.maps",
    "service.base_maps",
    "service.region_map",
    # Service
    "service.health",
    "service.settings",
    "people.audit",
    "service.software",
)

# The ways in and out, and what is in no menu.
WAYS = (
    "entrance.sign_on",
    "entrance.handover",
    "entrance.reset",
    "entrance.setup",
    "entrance.search",
)


def load_pages() -> tuple[Page, ...]:
    """The pages of all subjects."""
    modules = [importlib.import_module(f"skywatch.console.views.{subject}") for subject in (*SUBJECTS, *WAYS)]
    return tuple(page for module in modules for page in module.PAGES)


def includeme(config: Configurator) -> None:
    """Add the views of the pages that declare theirs, and those with decorators."""
    for page in load_pages():
        page.add_views(config)
    config.scan("skywatch.console.views")
