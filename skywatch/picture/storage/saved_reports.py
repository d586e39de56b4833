"""Reports in the form in which the saved picture has them: one list for each field of ``Report``.

Receivers deliver subclasses of ``Report`` that decode their own input: with bounds, with fields of one dialect, and
with names that no input can set. A subclass is encoded under its own names and cannot be decoded as a ``Report``. So
what is saved has the fields of ``Report`` by name, whatever class a report has, and takes half the space of objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from skywatch.picture.state.receiver_view import FieldState, ReceiverView
from skywatch.receivers.reports.report import Report
from skywatch.receivers.reports.report_columns import ReportColumns, fields_of, is_absent

# Of a view, in addition to the fields of a report and ``heard``.
VIEW_FIELDS = ("type_at", "expires_at")
_DEFAULTS = {field.name: field.default for field in msgspec.structs.fields(ReceiverView)}


class SavedReports(msgspec.Struct, array_like=True):
    """Reports by field; None is a missing value, a field without values is left out.

    ``heard`` has, for views, the states of their fields.
    """

    count: int
    fields: dict[str, list[Any]]
    heard: list[dict[str, FieldState]] = []


def pack(reports: Sequence[Report]) -> SavedReports:
    """The fields of reports of any class, or, if all of them are views, of views."""
    all_fields = reports.fields() if isinstance(reports, ReportColumns) else fields_of(reports)
    fields = {name: values for name, values in all_fields.items() if values and not is_absent(values)}
    heard = []
    if not isinstance(reports, ReportColumns) and reports and all(type(report) is ReceiverView for report in reports):
        fields |= {name: [getattr(view, name) for view in reports] for name in VIEW_FIELDS}
        heard = [view.heard for view in reports if isinstance(view, ReceiverView)]
    for name, values in fields.items():
        if UNSET in values:
            fields[name] = [None if value is UNSET else value for value in values]
    return SavedReports(len(reports), fields, heard)


def unpack(saved: SavedReports) -> list[Report]:
    """The reports; fields that this release does not have are ignored. Raises ValueError if lists differ in length."""
    kind = ReceiverView if saved.heard else Report
    columns = [saved.heard if name == "heard" else _values(saved, name) for name in kind.__struct_fields__]
    return [kind(*row) for row in zip(*columns, strict=True)]


def _values(saved: SavedReports, name: str) -> list[Any]:
    values = saved.fields.get(name)
    if values is None:
        return [_DEFAULTS[name]] * saved.count
    return [UNSET if value is None else value for value in values] if None in values else values
