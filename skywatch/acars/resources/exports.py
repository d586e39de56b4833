"""ACARS messages as files, streamed in batches: CSV with a row for each message, and JSON Lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from skywatch.acars.models import AcarsMessage
from skywatch.acars.resources import service
from skywatch.acars.resources.answers import message_answer
from skywatch.http.lists.spreadsheets import csv_rows
from skywatch.http.resources.render import encode
from skywatch.security.visibility import Visibility

Rows = Iterator[Sequence[AcarsMessage]]
PLAIN = (
    "id", "at", "received_at", "source", "station", "frequency_mhz", "level_db", "icao_hex", "registration", "flight",
    "callsign", "flight_id", "label", "label_name", "block_id", "message_number", "direction", "incomplete", "repeats",
)  # fmt: skip
COLUMNS = (*PLAIN, "stations", "kind", "title", "lat", "lon", "altitude_ft", "text")


@dataclass(frozen=True)
class Format:
    """One format; ``write`` makes pieces of batches of messages."""

    media_type: str
    write: Callable[[Rows, Visibility], Iterator[bytes]]


def export(session: Session, visibility: Visibility, filters: dict[str, Any], format_name: str) -> Iterator[bytes]:
    """The messages that the filters select, the latest received first; raises Problem as ``service.find``."""
    batches = service.batches(session, visibility, filters)
    return FORMATS[format_name].write(batches, visibility)


def _csv(batches: Rows, visibility: Visibility) -> Iterator[bytes]:
    yield csv_rows([COLUMNS])
    for batch in batches:
        yield csv_rows([_cells(message_answer(row, visibility.permissions)) for row in batch])


def _cells(fields: dict[str, Any]) -> list[Any]:
    decoded, position = fields["decoded"] or {}, fields["position"] or {}
    stations = " ".join(dict.fromkeys(reception["station"] for reception in fields["heard_by"]))
    return [
        *(fields[name] for name in PLAIN),
        stations,
        *(decoded.get(name) for name in ("kind", "title")),
        *(position.get(name) for name in ("lat", "lon", "altitude_ft")),
        fields["text"],
    ]


def _json_lines(batches: Rows, visibility: Visibility) -> Iterator[bytes]:
    for batch in batches:
        yield b"".join(encode(message_answer(row, visibility.permissions)) + b"\n" for row in batch)


FORMATS = {"csv": Format("text/csv", _csv), "jsonl": Format("application/x-ndjson", _json_lines)}
