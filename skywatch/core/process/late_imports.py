"""Libraries that are imported where they are first used.

A process imports at its start what every installation needs. The rest would cost each household a third of the start
and 30 MB: senders, single sign-on, geometry, migrations.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec

# Module -> what needs it.
LATE = {
    "alembic": "migrations of the database",
    "aiomqtt": "notifications over MQTT",
    "authlib": "single sign-on",
    "cryptography": "stored secrets and Web Push",
    "httpcore": "outgoing calls: webhooks, push services, identity providers",
    "httpx": "receivers with an http address",
    "jinja2": "pages of the console",
    "joserfc": "single sign-on and Web Push",
    "multipart": "uploads",
    "pyramid_jinja2": "pages of the console",
    "pyramid_jwt": "access tokens",
    "re2": "regular expressions of alert rules and single sign-on",
    "segno": "QR codes of links",
    "shapely": "geofences and airspaces",
    "soundfile": "recordings of radio",
    "zope.sqlalchemy": "requests that write to the database",
    "zstandard": "binCraft, packed, and the picture between processes",
}


def check_installed() -> None:
    """Raise ModuleNotFoundError at the start, not at the first use, where a library is missing; imports none."""
    for name, use in LATE.items():
        if name not in sys.modules and find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r} ({use}): install Skywatch again", name=name)


def faults() -> dict[str, str]:
    """Import each library; those that cannot be, with the reason."""
    broken = {}
    for name, use in LATE.items():
        try:
            importlib.import_module(name)
        except Exception as error:
            # A broken library may raise anything while it is imported.
            broken[name] = f"{use}: {error}"
    return broken
