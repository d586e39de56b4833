"""The audit log as a file: CSV for spreadsheets, JSON lines for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from sqlalchemy.orm import Session

from skywatch.accounts.audit_log.schemas import AuditRecord
from skywatch.accounts.audit_log.service import Search
from skywatch.core.database.models import AuditEntry
from skywatch.http.lists.spreadsheets import csv_rows
from skywatch.http.resources.answer import answer

COLUMNS = tuple(node.name for node in AuditRecord().children)


def lines_of(session: Session, filters: Mapping[str, Any]) -> Iterator[bytes]:
    """The entries that match, the newest first, each a JSON object on a line of its own."""
    for batch in Search(session, filters).batches():
        yield b"".join(msgspec.json.encode(answer(AuditRecord, entry)) + b"\n" for entry in batch)


def csv_of(session: Session, filters: Mapping[str, Any]) -> Iterator[bytes]:
    """The same as CSV (RFC 4180) in UTF-8, the documents of before and after as JSON."""
    yield csv_rows([COLUMNS])
    for batch in Search(session, filters).batches():
        yield csv_rows([[_cell(value) for value in _row(entry)] for entry in batch])


def _row(entry: AuditEntry) -> list[Any]:
    shown = answer(AuditRecord, entry)
    return [shown[name] for name in COLUMNS]


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return value
