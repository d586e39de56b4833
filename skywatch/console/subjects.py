"""The subjects of the console, in the order of its navigation.

To add one: write ``views/<subject>.py`` with its ``PAGES`` and its views, its templates, and name it here.
"""

from __future__ import annotations

import importlib

from skywatch.console.page import Page

SUBJECTS = (
    "overview",
    "users",
    "user",
    "user_editing",
    "assignments",
    "sign_on",
    "reset",
    "setup",
    "keys",
    "roles",
    "mappings",
    "access",
    "audit",
)

# What the service receives, stores and runs on.
SERVICE_SUBJECTS = (
    "receivers",
    "station",
    "retention",
    "thresholds",
    "channels",
    "known_aircraft",
    "health",
    "settings",
    "software",
)


def load_pages() -> tuple[Page, ...]:
    """The pages of all subjects."""
    modules = [
        importlib.import_module(f"skywatch.console.views.{subject}") for subject in (*SUBJECTS, *SERVICE_SUBJECTS)
    ]
    return tuple(page for module in modules for page in module.PAGES)
