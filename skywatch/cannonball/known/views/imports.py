"""The REST resource through which lists of known aircraft are imported."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.cannonball.area import CannonballService
from skywatch.cannonball.known.formats.delimited_table import DELIMITERS, ENCODINGS, Refused, Unreadable
from skywatch.cannonball.known.imports.lists import FORMS
from skywatch.cannonball.known.imports.update import ImportRefused, Report
from skywatch.cannonball.known.imports.uploads import ImportOptions, import_list
from skywatch.cannonball.vocabulary import Source, values
from skywatch.core.problems import Problem, field_fault, invalid, invalid_request
from skywatch.http.clients.audit import actor_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.answer import answer
from skywatch.http.resources.faults import faults_of
from skywatch.http.resources.schema import (
    JsonString,
    QueryBoolean,
    QueryString,
    Schema,
    boolean_node,
    code_node,
    integer_node,
    list_node,
    node,
    params_node,
    string_node,
)
from skywatch.http.resources.validation import json_body
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence, worded

# Largest number of refused lines in a report; all are counted.
REFUSALS_NAMED = 10_000
CSV_TYPES = ("text/csv", "text/plain")


class ImportQuery(Schema):
    """The options of an import."""

    format = node(
        QueryString(),
        "Form of the list: our own CSV, plane-alert-db, FAA (MASTER.txt) or OpenSky.",
        missing="skywatch",
        validator=colander.OneOf(tuple(FORMS)),
    )
    dry_run = node(QueryBoolean(), "Only report the changes, write nothing.", missing=False)
    keep_good = node(QueryBoolean(), "Take the good rows though others are refused.", missing=False)
    source = node(
        QueryString(),
        "Source of rows that name none; by default that of the form.",
        missing=None,
        validator=colander.OneOf(values(Source)),
    )
    delimiter = node(
        QueryString(), "Between the columns.", missing="comma", validator=colander.OneOf(tuple(DELIMITERS))
    )
    encoding = node(QueryString(), "Encoding of the text.", missing="utf-8", validator=colander.OneOf(ENCODINGS))


class ImportBody(Schema):
    """A list within a JSON body; the text may also be the whole body, as text/csv."""

    csv = node(JsonString(multiline=True), "The list itself.")
    acftref = node(JsonString(multiline=True), "FAA only: ACFTREF.txt, which names the models.", missing="")


class RefusedLine(Schema):
    """A refused line."""

    line = integer_node()
    icao_hex = string_node()
    reason = string_node()
    reason_code = code_node()
    reason_params = params_node()


class ImportReport(Schema):
    """The result of an import, or of its dry run."""

    format = string_node()
    dry_run = boolean_node()
    rows = integer_node("Good rows.")
    added = integer_node()
    updated = integer_node()
    unchanged = integer_node()
    skipped = integer_node("Aircraft that are not of law enforcement.")
    refused_count = integer_node()
    refused = list_node(RefusedLine(name="line"), "Refused lines (the first 10,000) and why.")


imports = CannonballService("cannonball.known_import", "/cannonball/known-aircraft/import")


@imports.post(
    permission=Permission.CANNONBALL_MANAGE,
    query=ImportQuery(),
    body=ImportBody(),
    body_types=("text/csv", "application/json"),
    responses={200: ImportReport()},
    errors=(413, 415),
)
def import_known_aircraft(request: Request) -> dict[str, Any]:
    """Import a list of known aircraft

    All rows or none: if a line is refused nothing is changed, unless `keep_good` is given. Rows whose address is
    on the list update it, but leave fields alone that were edited by hand.
    """
    options = ImportOptions(**request.validated["querystring"])
    listed, reference = _texts(request, options.encoding)
    try:
        report = import_list(request.runtime, actor_of(request), options, listed, reference)
    except Unreadable as fault:
        raise invalid("csv", str(fault)) from None
    except ImportRefused as refusal:
        raise _refusal(refusal.report) from None
    refused = [_line(line) for line in report.refused[:REFUSALS_NAMED]]
    return answer(ImportReport, report, format=options.format, refused=refused)


def _texts(request: Request, encoding: str) -> tuple[bytes, bytes]:
    """The list and the FAA's models, as bytes, from either kind of body."""
    if request.content_type in CSV_TYPES:
        return request.body, b""
    if request.content_type != "application/json":
        raise Problem(
            "unsupported_media_type", sentence("known.media_type", "The body must be text/csv or application/json.")
        )
    try:
        body = ImportBody().deserialize(json_body(request))
    except colander.Invalid as fault:
        faults = [field_fault("body", name, detail) for name, detail in faults_of(fault).items()]
        raise invalid_request(faults) from None
    try:
        return body["csv"].encode(encoding), body["acftref"].encode(encoding)
    except UnicodeEncodeError:
        raise invalid(
            "csv", sentence("known.encoding", "holds characters that {encoding} has not", encoding=encoding)
        ) from None


def _line(refused: Refused) -> dict[str, Any]:
    return {"line": refused.line, "icao_hex": _clean(refused.icao_hex), **worded("reason", refused.reason)}


def _clean(text: str) -> str:
    """The text of a faulty line without characters that JSON cannot encode."""
    return text.encode("ascii", "replace").decode()


def _refusal(report: Report) -> Problem:
    count = report.refused_count
    errors = [field_fault("body", f"line {line.line}", line.reason) for line in report.refused[:REFUSALS_NAMED]]
    detail = sentence(
        "known.lines_refused",
        "{n} line was refused and nothing was changed.|{n} lines were refused and nothing was changed.",
        n=count,
    )
    return Problem("validation_failed", detail, errors=errors)
