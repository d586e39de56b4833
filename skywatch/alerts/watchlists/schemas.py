"""The schemas of the resources of watch lists."""

from __future__ import annotations

from typing import Any

import colander
import msgspec

from skywatch.alerts.types import name_node
from skywatch.alerts.watchlists.entries import MAX_ENTRIES, EntryFault, parse_entry
from skywatch.http.lists.pagination import PageLinks
from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.schema import (
    JsonSequence,
    QueryBoolean,
    Schema,
    integer_node,
    node,
    string_node,
    timestamp_node,
)
from skywatch.sentences import sentence

# Largest number of faults in an answer.
FAULTS_NAMED = 100


class EntryList(colander.SchemaType):
    """A list of addresses, registrations and callsigns -> normalised, each once."""

    def serialize(self, node: colander.SchemaNode, appstruct: Any) -> Any:
        return appstruct

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        """Every invalid entry is a fault of its own."""
        if cstruct is colander.null:
            return colander.null
        if not isinstance(cstruct, list) or not all(isinstance(entry, str) for entry in cstruct):
            raise colander.Invalid(node, sentence("field.list_of_strings", "must be a list of strings"))
        if len(cstruct) > MAX_ENTRIES:
            raise colander.Invalid(
                node, sentence("field.most_entries", "must hold at most {most} entries", most=MAX_ENTRIES)
            )
        values: dict[str, None] = {}
        fault: colander.Invalid | None = None
        for index, entry in enumerate(cstruct):
            try:
                values[parse_entry(entry)] = None
            except EntryFault as error:
                fault = fault or colander.Invalid(node)
                if len(fault.children) < FAULTS_NAMED:
                    name = colander.SchemaNode(colander.String(), name=str(index))
                    fault.add(colander.Invalid(name, str(error)))
        if fault is not None:
            raise fault
        return list(values)

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """A list of strings."""
        return {"type": "array", "items": {"type": "string"}, "maxItems": MAX_ENTRIES}


class NewWatchlistFields(Fields):
    """A watch list to create."""

    name: str
    entries: list[str] = msgspec.field(default_factory=list)


class WatchlistChangeFields(Fields):
    """The members of a watch list to change."""

    name: str | UnsetType = UNSET
    entries: list[str] | UnsetType = UNSET


class NewWatchlist(Schema):
    """A watch list to create."""

    struct = NewWatchlistFields

    name = name_node()
    entries = node(EntryList(), "Addresses, registrations and callsigns.", missing=[])


class WatchlistChange(Schema):
    """The fields of a watch list to change; entries replace all existing ones."""

    struct = WatchlistChangeFields

    name = name_node(missing=colander.drop)
    entries = node(EntryList(), missing=colander.drop)


class WatchlistSummary(Schema):
    """A watch list without its entries."""

    id = integer_node()
    user = integer_node("Id of its owner.")
    name = string_node()
    entry_count = integer_node()
    created_at = timestamp_node()
    updated_at = timestamp_node()


class WatchlistRecord(WatchlistSummary):
    """A watch list with its entries."""

    entries = node(EntryList())


class WatchlistSequence(JsonSequence):
    watchlist = WatchlistSummary()


class WatchlistList(PageLinks):
    """A page of watch lists."""

    watchlists = WatchlistSequence()


class WatchlistImportQuery(Schema):
    """The options of an import."""

    replace = node(QueryBoolean(), "Replace the existing entries instead of adding to them.", missing=False)


class WatchlistImported(Schema):
    """The result of an import."""

    added = integer_node()
    entry_count = integer_node("Entries of the list now.")
