"""The first half of an import: every line is read and validated, and valid rows are spooled to disk.

The database is not used here, so that others can write however long the list is.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO

import msgspec

from skywatch.cannonball.identification.place_names import STATE_CODES
from skywatch.cannonball.known import links
from skywatch.cannonball.known.formats.delimited_table import Item, Refused, Row
from skywatch.cannonball.known.service import derive
from skywatch.cannonball.vocabulary import AgencyType, Source, values
from skywatch.sentences import sentence

CHUNK_ROWS = 5000
SPOOL_BYTES = 8 * 1024 * 1024
LENGTHS = {
    "registration": 12,
    "aircraft_type": 8,
    "aircraft_model": 120,
    "agency_name": 160,
    "agency_city": 80,
    "source_url": 500,
    "notes": 10_000,
}
_TRUE, _FALSE = ("true", "yes", "1", "t", "y"), ("false", "no", "0", "f", "n", "")
_HEX_DIGITS = frozenset("0123456789ABCDEF")


class StagedRow(msgspec.Struct, array_like=True):
    """A valid row: its fields by name (``verified`` as "true"), and the fields derived by rule."""

    icao_hex: str
    fields: dict[str, str]
    derived: dict[str, str]


@dataclass
class Staged:
    """The spooled rows, and the number and reasons of the others; ``form`` is that of the list."""

    form: str = ""
    rows: int = 0
    skipped: int = 0
    refused: list[Refused] = field(default_factory=list)
    _chunks: IO[bytes] = field(default_factory=lambda: tempfile.SpooledTemporaryFile(SPOOL_BYTES))  # noqa: SIM115

    def __enter__(self) -> Staged:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._chunks.close()

    def put(self, rows: list[StagedRow]) -> None:
        """Spool a chunk of rows."""
        packed = msgspec.msgpack.encode(rows)
        self._chunks.write(len(packed).to_bytes(4, "big") + packed)
        self.rows += len(rows)

    def chunks(self) -> Iterator[list[StagedRow]]:
        """The chunks in their order."""
        self._chunks.seek(0)
        decoder = msgspec.msgpack.Decoder(list[StagedRow])
        while head := self._chunks.read(4):
            yield decoder.decode(self._chunks.read(int.from_bytes(head, "big")))


def stage(items: Iterable[Item], default_source: str, cut_long_texts: bool) -> Staged:
    """Validate every item; for external lists ``cut_long_texts`` shortens texts that are too long, and drops invalid
    addresses of documentation."""
    staged = Staged()
    seen: dict[int, int] = {}
    chunk: list[StagedRow] = []
    for item in items:
        if isinstance(item, Refused):
            staged.refused.append(item)
        elif isinstance(item, Row):
            checked = _check(item, default_source, cut_long_texts, seen)
            if isinstance(checked, Refused):
                staged.refused.append(checked)
                continue
            chunk.append(checked)
            if len(chunk) == CHUNK_ROWS:
                staged.put(chunk)
                chunk = []
        else:
            staged.skipped += 1
    if chunk:
        staged.put(chunk)
    return staged


def _check(row: Row, default_source: str, cut_long_texts: bool, seen: dict[int, int]) -> StagedRow | Refused:
    fields = dict(row.fields)
    icao_hex = fields.pop("icao_hex", "").strip().upper()
    short_hex = icao_hex[:8]
    if len(icao_hex) != 6 or not _HEX_DIGITS.issuperset(icao_hex) or icao_hex in ("000000", "FFFFFF"):
        return Refused(
            row.line,
            short_hex,
            sentence("known.icao_hex", "icao_hex must be an ICAO address of six hexadecimal digits"),
        )
    fault = _normalise(fields, cut_long_texts)
    if fault:
        return Refused(row.line, short_hex, fault)
    first = seen.setdefault(int(icao_hex, 16), row.line)
    if first != row.line:
        return Refused(
            row.line,
            short_hex,
            sentence(
                "known.listed_before", "{icao_hex} stands on line {first} already", icao_hex=icao_hex, first=first
            ),
        )
    fields.setdefault("source", default_source)
    derived = derive(icao_hex, fields.get("agency_name", ""))
    return StagedRow(icao_hex, fields, {n: v for n, v in derived.items() if v and n not in fields})


def _normalise(fields: dict[str, str], cut_long_texts: bool) -> str | None:
    """Normalise a row's fields for storage; returns their fault, or None."""
    for name, length in LENGTHS.items():
        if len(fields.get(name, "")) > length:
            if not cut_long_texts:
                return sentence("known.member_long", "{name} is longer than {most} characters", name=name, most=length)
            fields[name] = fields[name][:length]
    if fields.get("source_url") and not links.is_web_address(fields["source_url"]):
        if not cut_long_texts:
            return sentence("known.source_url", "source_url {rule}", rule=links.RULE)
        del fields["source_url"]
    for name in ("registration", "aircraft_type", "agency_state"):
        if name in fields:
            fields[name] = fields[name].upper()
    for name in ("agency_type", "source", "verified"):
        if name in fields:
            fields[name] = fields[name].lower()
    if fields.get("agency_type", "unknown") not in values(AgencyType):
        return sentence("known.agency_type", "agency_type must be one of {names}", names=", ".join(values(AgencyType)))
    if fields.get("source", "manual") not in values(Source):
        return sentence("known.source", "source must be one of {names}", names=", ".join(values(Source)))
    if "agency_state" in fields and fields["agency_state"] not in STATE_CODES:
        return sentence("known.agency_state", "agency_state must be a two-letter US state code")
    if "verified" in fields:
        if fields["verified"] not in _TRUE + _FALSE:
            return sentence("known.verified", "verified must be true or false")
        if fields.pop("verified") in _TRUE:
            fields["verified"] = "true"
    return None
