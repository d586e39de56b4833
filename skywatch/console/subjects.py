"""The subjects of the console, in the order of its navigation.

To add one: write ``views/<room>/<subject>.py`` with its ``PAGES`` and its views, its templates, and name it here.
"""

from __future__ import annotations

import importlib

from skywatch.console.pages.page import Page

SUBJECTS = (
    "service.overview",
    "people.users",
    "people.user",
    "people.user_editing",
    "people.service_accounts",
    "entrance.sign_on",
    "entrance.handover",
    "entrance.reset",
    "entrance.setup",
    "people.keys",
    "people.roles",
    "people.mappings",
    "people.providers",
    "people.access",
    "people.audit",
)

# What the service receives, stores and runs on.
SERVICE_SUBJECTS = (
    "reception.receivers",
    "reception.receiver",
    "reception.discovery",
    "reception.station",
    "reception.airframes",
    "service.retention",
    "service.thresholds",
    "service.channels",
    "service.known_aircraft",
    "service.health",
    "service.settings",
    "service.software",
)


def load_pages() -> tuple[Page, ...]:
    """The pages of all subjects."""
    modules = [
        importlib.import_module(f"skywatch.console.views.{subject}") for subject in (*SUBJECTS, *SERVICE_SUBJECTS)
    ]
    return tuple(page for module in modules for page in module.PAGES)
