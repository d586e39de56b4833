"""Small features: one test module each, whose ``SLICE`` says what the tables of the tests need to know of it.

``skywatch new-feature`` writes such a module. From its ``SLICE`` are derived the rights (``tests/rights.py``), the rows
of the access matrix, the writes that must leave an audit entry, the requests whose cost is measured, and the example of
the manual. A feature that has outgrown this gets rows of its own in those tables.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ONE = "/{id}"


@dataclass(frozen=True, kw_only=True)
class Slice:
    """What a small feature lets whom do.

    ``permissions`` have a kind and a default role, as in ``tests/rights.py``. ``operations`` are a method and a path
    below ``/api/v1/<name>`` with the permission that it needs; a path about a row of ``table`` ends in ``/{id}``.
    ``actions`` are the actions of the audit entries of those that write, ``sample`` is a body that they all take.
    """

    name: str
    permissions: Mapping[str, tuple[str, str]]
    operations: Mapping[str, str]
    actions: Mapping[str, str]
    sample: Mapping[str, Any]
    table: Any

    def path_of(self, operation: str) -> tuple[str, str]:
        """Return the method of an operation and its path below ``/api/v1``."""
        method, _, path = operation.partition(" ")
        return method, f"/{self.name}{path}"

    def creating(self) -> str:
        """Return the path of the operation that makes a row; raises StopIteration where there is none."""
        return next(path for method, path in map(self.path_of, self.operations) if method == "POST")


def slices() -> list[Slice]:
    """Return the ``SLICE`` of every test module of this package."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name.startswith("test_"))
    return [importlib.import_module(f"{__name__}.{name}").SLICE for name in names]
