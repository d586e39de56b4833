"""The entries of all endpoints, one module for each feature."""

from __future__ import annotations

from benchmarks._endpoint_costs.entries import (
    acars,
    accounts,
    alert_imports,
    alerts,
    audio,
    cannonball,
    history,
    live,
    notifications,
    readsb,
    safety,
    sign_on,
    system,
)
from benchmarks._endpoint_costs.entry import Entries

MODULES = (
    accounts,
    acars,
    alert_imports,
    alerts,
    audio,
    cannonball,
    history,
    live,
    notifications,
    readsb,
    safety,
    sign_on,
    system,
)


def entries() -> Entries:
    """All entries by method and path; raises ValueError where two modules have the same one."""
    found: Entries = {}
    for module in MODULES:
        twice = set(found) & set(module.ENTRIES)
        if twice:
            raise ValueError(f"{', '.join(sorted(twice))} have entries in more than one module")
        found |= module.ENTRIES
    return found
