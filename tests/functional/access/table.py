"""The rows of the table, and where they are collected."""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import dataclass
from typing import Any

from tests.functional import access
from tests.rights import ALL_SERVICE, NO_KEY, SCOPES, granted_to, held_for, holds, kind_of, lets_in

NOT_TABLES = {"table", "page", "test_matrix", "conftest"}
# Column -> mode, level of reading and writing, and whether the features are switched on.
COLUMNS = {
    "public mode": ("public", "permission", True),
    "private mode": ("private", "public", True),
    "public": ("hybrid", "public", True),
    "authenticated": ("hybrid", "authenticated", True),
    "permission": ("hybrid", "permission", True),
    "switched off": ("hybrid", "public", False),
}
# Parts of addresses that are no areas: each call belongs to the area of its permission.
BY_PERMISSION = {
    "airports", "editions", "firsts", "journal", "overflights", "records", "reports", "routes", "worth-a-look",
}  # fmt: skip
CALLERS = ("nobody", "lacking", "holding", "key", "other key")


@dataclass(frozen=True)
class Row:
    """One operation.

    ``path`` is written as in the manual, with ``{placeholders}``, and ``needs`` is a name of ``tests.rights``.
    ``sample`` fills the placeholders, ``body`` is sent, and ``answer`` is the status that a caller gets whom access
    does not stop.
    The samples as they stand ask for something that is not there or send a field that nobody knows, so that nothing is
    changed. ``also`` is a permission of another area that is needed too, so that no key of one scope suffices.
    """

    method: str
    path: str
    needs: str
    sample: str | None = None
    answer: int | tuple[int, ...] | None = None
    body: Any = None
    content_type: str = "application/json"
    also: str = ""

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
        is_of_readsb = not self.path.startswith("/api/") or self.path.startswith("/api/0/")
        area = "aircraft" if is_of_readsb else self.path.removeprefix("/api/v1/").partition("/")[0]
        area = self.needs.partition(".")[0] if area in BY_PERMISSION else area
        return area if area in SCOPES else None

    @property
    def feature(self) -> str:
        """The feature whose access setting decides."""
        return self.scope or self.needs.partition(".")[0]

    @property
    def kind(self) -> str:
        """The name of the kind, as the manual's page has it."""
        return self.needs if self.needs in ALL_SERVICE else kind_of(self.needs).name

    @property
    def permission(self) -> str | None:
        """The permission that holders hold; None where no role gives what is needed."""
        if self.needs in ALL_SERVICE and self.needs != "switch":
            return None
        return held_for(self.needs, self.feature)

    @property
    def reads_credentials(self) -> bool:
        """Whether wrong credentials are refused."""
        return self.needs not in ALL_SERVICE or ALL_SERVICE[self.needs].keys != "-"

    def holds(self, role: str | None) -> bool:
        """Whether a default role holds the permission."""
        return self.permission is None or holds(role, self.permission)

    def expected(self, caller: str, column: str) -> str:
        """``ok``, ``401`` or ``403``: what one of CALLERS gets in a column."""
        if caller in ("key", "other key"):
            if not self._takes_key(caller):
                return "403"
            caller = "holding"
        mode, level, enabled = COLUMNS[column]
        who = granted_to(self.needs, mode, level, level, enabled=enabled)
        if lets_in(who, caller):
            return "ok"
        return "401" if caller == "nobody" and who != "nobody" else "403"

    def _takes_key(self, caller: str) -> bool:
        if self.needs in ALL_SERVICE:
            return ALL_SERVICE[self.needs].keys in ("yes", "-")
        return caller == "key" and not self.also and self.scope is not None and self.needs not in NO_KEY


def rows() -> list[Row]:
    """All rows of all features."""
    found: list[Row] = []
    for module in pkgutil.iter_modules(access.__path__):
        if module.name not in NOT_TABLES:
            found += importlib.import_module(f"tests.functional.access.{module.name}").ROWS
    return found
