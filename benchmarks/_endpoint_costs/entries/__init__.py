"""The entries of all endpoints, one module for each feature."""

from __future__ import annotations

import importlib
import pkgutil

from benchmarks._endpoint_costs.entry import Entries

MODULES = tuple(importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))


def entries() -> Entries:
    """All entries by method and path; raises ValueError where two modules have the same one."""
    found: Entries = {}
    for module in MODULES:
        twice = set(found) & set(module.ENTRIES)
        if twice:
            raise ValueError(f"{', '.join(sorted(twice))} have entries in more than one module")
        found |= module.ENTRIES
    return found
