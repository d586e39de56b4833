"""The rows of the table, and where they are collected."""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import dataclass
from typing import Any

from tests.functional import access
from tests.functional.access.grids import Kind

ROLES = ("viewer", "operator", "analyst", "admin", "superadmin")
SCOPES = (
    "aircraft",
    "alerts",
    "safety",
    "audio",
    "acars",
    "history",
    "system",
    "cannonball",
)
NOT_TABLES = {"grids", "table", "page", "test_matrix", "conftest"}


@dataclass(frozen=True)
class Row:
    """One operation.

    ``path`` is written as in the manual, with ``{placeholders}``. ``lowest`` is the least privileged default role
    that holds the permission (None where no permission is asked for). ``sample`` fills the placeholders, ``body`` is
    sent, and ``answer`` is the status that a caller gets whom access does not stop. The samples as they stand ask
    for something that is not there or send a field that nobody knows, so that nothing is changed.
    """

    method: str
    path: str
    kind: Kind
    lowest: str | None = None
    sample: str | None = None
    answer: int | tuple[int, ...] | None = None
    body: Any = None
    content_type: str = "application/json"

    @property
    def operation(self) -> str:
        """Method and path, as the manual names it."""
        return f"{self.method} {self.path}"

    @property
    def url(self) -> str:
        """An address to try."""
        return self.sample or re.sub(r"\{[^}]*\}", "999999999", self.path)

    @property
    def answers(self) -> tuple[int, ...]:
        """The statuses of a call that access lets through."""
        if self.answer is not None:
            return self.answer if isinstance(self.answer, tuple) else (self.answer,)
        if self.method in ("POST", "PUT", "PATCH"):
            return (400,)
        return (404,) if "{" in self.path or self.method == "DELETE" else (200,)

    @property
    def scope(self) -> str | None:
        """The scope of API keys that the path belongs to, where there is one."""
        area = self.path.removeprefix("/api/v1/").partition("/")[0] if self.path.startswith("/api/") else "aircraft"
        return area if area in SCOPES else None

    def holds(self, role: str | None) -> bool:
        """Whether a default role holds the permission."""
        if self.lowest is None:
            return True
        return role in ROLES and ROLES.index(role) >= ROLES.index(self.lowest)


def rows() -> list[Row]:
    """All rows of all features."""
    found: list[Row] = []
    for module in pkgutil.iter_modules(access.__path__):
        if module.name not in NOT_TABLES:
            found += importlib.import_module(f"tests.functional.access.{module.name}").ROWS
    return found
