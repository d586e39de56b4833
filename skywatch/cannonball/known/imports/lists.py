"""The forms of lists that can be imported, with their readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from skywatch.cannonball.known.formats import faa, opensky, plane_alert, skywatch
from skywatch.cannonball.known.formats.delimited_table import Item, Table
from skywatch.cannonball.known.imports.staging import Staged, stage
from skywatch.cannonball.vocabulary import Source


@dataclass(frozen=True)
class ListForm:
    """One form: its reader, the source of its entries, and whether it is external (long texts are cut)."""

    read: Callable[[Table], Iterator[Item]]
    source: Source
    is_external: bool


FORMS: dict[str, ListForm] = {
    "skywatch": ListForm(skywatch.read, Source.COMMUNITY, False),
    "plane-alert": ListForm(plane_alert.read, Source.COMMUNITY, True),
    "faa": ListForm(faa.read, Source.FAA, True),
    "opensky": ListForm(opensky.read, Source.OPENSKY, True),
}


def stage_list(
    table: Table, form_name: str, source: str | None = None, models: Mapping[str, str] | None = None
) -> Staged:
    """Read and check a whole list; ``source`` overrides the form's own, ``models`` are the FAA's aircraft models.

    Raises Unreadable if the text is not of that form.
    """
    form = FORMS[form_name]
    items = faa.read(table, models) if form_name == "faa" else form.read(table)
    staged = stage(items, source or form.source, cut_long_texts=form.is_external)
    staged.form = form_name
    return staged
