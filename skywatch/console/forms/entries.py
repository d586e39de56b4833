"""What the fields of a form hold: what is stored when it is opened, and what was entered when it comes back refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import colander

from skywatch.console.forms.form import TOKEN, checked, pairs_of
from skywatch.core.problems import Problem, field_fault, invalid_request, text_of_fault
from skywatch.core.storage.versions import Stale
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import JsonBoolean, JsonInteger, JsonList, JsonNumber, Nullable
from skywatch.sentences import joined, sentence

VERSION = "version"
INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
NUMBER = re.compile(r"[+-]?[0-9]{0,18}\.?[0-9]{0,18}(e[+-]?[0-9]{1,3})?", re.IGNORECASE)


@dataclass(frozen=True)
class Entries:
    """The values of a form by field: text, a list of texts, or a boolean.

    ``version`` names the state that the form was opened with. ``stored`` is what is there now, where it has changed
    meanwhile: the form shows it next to what was entered. ``faults`` are those of what is stored, by field.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
    stored: Mapping[str, Any] | None = None
    problem: Problem | None = None
    faults: Mapping[str, str] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        """What a field shows."""
        return self.values.get(name, "")

    def has(self, name: str, value: str) -> bool:
        """Whether a field of several values, or of one, holds this one."""
        present = self.values.get(name, ())
        return value in present if isinstance(present, list | tuple | set | frozenset) else value == present

    def fault(self, name: str) -> str:
        """What is wrong with a field, or nothing."""
        if self.problem is None:
            return self.faults.get(name, "")
        faults = self.problem.errors or []
        return joined(
            [text_of_fault(fault) for fault in faults if fault["name"] == name or fault["name"].startswith(f"{name}.")]
        )

    def other(self, name: str) -> str | None:
        """What is stored now in a field, where it is something else than what was entered."""
        if self.stored is None or self.stored.get(name, "") == self.values.get(name, ""):
            return None
        value = self.stored.get(name, "")
        if isinstance(value, bool):
            return "yes" if value else "no"
        return (", ".join(sorted(value)) if isinstance(value, list) else str(value)) or "nothing"

    def with_values(self, values: Mapping[str, Any]) -> Entries:
        """The same form with other values in it, as if they had been entered."""
        return replace(self, values={**self.values, **values})

    def refused(self, problem: Problem, stored: Entries | None = None) -> Entries:
        """The same form with the reason why it was refused; ``stored`` is the form as it would open now."""
        if stored is None:
            return Entries(self.values, self.version, None, problem)
        # Whoever sends it again after this has seen what would be overwritten.
        is_stale = isinstance(problem, Stale)
        version = stored.version if is_stale else self.version
        return Entries({**stored.values, **self.values}, version, stored.values if is_stale else None, problem)


def part(schema: colander.SchemaNode, *names: str) -> colander.SchemaNode:
    """The named fields of a schema, as a schema."""
    chosen = schema.clone()
    chosen.children = [node for node in chosen.children if node.name in names]
    return chosen


def read_entries(request: Request, schema: colander.SchemaNode, *more: str) -> Entries:
    """The fields of a form whose names are a schema's, and ``more``; raises Problem (400) for unknown and doubled ones.

    A list is a field that may come any number of times; a boolean is a box, which is not sent unless it is ticked.
    """
    types = {node.name: node.typ for node in schema.children}
    values: dict[str, Any] = {name: [] for name, kind in types.items() if isinstance(kind, JsonList)}
    values |= {name: False for name, kind in types.items() if isinstance(kind, JsonBoolean)}
    faults = []
    seen = set()
    for name, value in pairs_of(request):
        if name in values and isinstance(values[name], list):
            values[name].append(value)
            continue
        if name not in types and name not in more and name not in (TOKEN, VERSION):
            faults.append(field_fault("body", name[:64], sentence("field.unknown", "is not a known field")))
        elif name in seen:
            faults.append(field_fault("body", name, sentence("field.twice", "is given more than once")))
        elif name != TOKEN:
            values[name] = value == "true" if isinstance(types.get(name), JsonBoolean) else value
        seen.add(name)
    if faults:
        raise invalid_request(faults)
    return Entries(values, values.pop(VERSION, ""))


def fields_of(schema: colander.SchemaNode, entries: Entries, blank: Iterable[str] = ()) -> dict[str, Any]:
    """The fields as a schema of the API makes them; those of ``blank`` count as absent where nothing was entered.

    Raises Problem (400) that names every fault.
    """
    absent = {name for name in blank if entries.values.get(name) in ("", [])}
    plain = {
        node.name: _plain(node.typ, entries.values[node.name])
        for node in schema.children
        if node.name in entries.values and node.name not in absent
    }
    return checked(schema, plain)


def _plain(kind: colander.SchemaType, value: Any) -> Any:
    """What a JSON document would hold in the place of what was entered; what cannot be read is left to the schema."""
    if isinstance(kind, Nullable):
        return None if value == "" else _plain(kind.inner, value)
    if not isinstance(value, str):
        return value
    text = value.strip()
    if isinstance(kind, JsonInteger):
        return int(text) if INTEGER.fullmatch(text) else value
    if isinstance(kind, JsonNumber):
        return float(text) if NUMBER.fullmatch(text) and any(c.isdigit() for c in text) else value
    return value.replace("\r\n", "\n")
