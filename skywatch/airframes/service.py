"""Queries airframes, one or up to 500 at once, merged from all imported databases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import is_military_address
from skywatch.airframes.models import INTERESTING, LADD, MILITARY, PIA, AirframeImport, AirframeRecord, MilitaryRecord

MAX_AT_ONCE = 500
# Precedence of the databases: each field takes its value from the first one that has it.
SOURCES = ("tar1090", "opensky")
_ADDRESS = re.compile(r"[0-9A-F]{6}")


class Airframe(msgspec.Struct, frozen=True, gc=False):
    """The data of one aircraft; None where unknown. ``icao_hex`` is upper case.

    ``sources`` are the databases it comes from; none where it is only known whether it is military. ``decided``: that
    was set by somebody, and what receivers report does not count.
    """

    icao_hex: str
    registration: str | None = None
    type_code: str | None = None
    type_name: str | None = None
    operator: str | None = None
    owner: str | None = None
    year: int | None = None
    military: bool = False
    decided: bool = False
    interesting: bool = False
    pia: bool = False
    ladd: bool = False
    sources: tuple[str, ...] = ()

    @property
    def flags(self) -> int:
        """The bits of readsb's dbFlags."""
        return MILITARY * self.military | INTERESTING * self.interesting | PIA * self.pia | LADD * self.ladd


def find(session: Session, icao_hex: str) -> Airframe | None:
    """One airframe by its ICAO address in either case; None if unknown."""
    return find_many(session, [icao_hex]).get(icao_hex.upper())


def find_many(session: Session, icao_hexes: Sequence[str]) -> dict[str, Airframe]:
    """The airframes of up to MAX_AT_ONCE addresses, in either case: upper-case address -> airframe, one query.

    Unknown addresses are absent. Raises ValueError where there are more.
    """
    if len(icao_hexes) > MAX_AT_ONCE:
        raise ValueError(f"at most {MAX_AT_ONCE} addresses at once")
    addresses = {address for text in icao_hexes if _ADDRESS.fullmatch(address := text.upper())}
    records: dict[str, list[AirframeRecord]] = {}
    known: dict[str, MilitaryRecord] = {}
    if addresses:
        query = sa.select(AirframeRecord).where(AirframeRecord.icao_hex.in_(sorted(addresses)))
        for record in session.scalars(query):
            records.setdefault(record.icao_hex, []).append(record)
        marked = sa.select(MilitaryRecord).where(MilitaryRecord.icao_hex.in_(sorted(addresses)))
        known = {record.icao_hex: record for record in session.scalars(marked)}
    return {
        address: _combine(address, records.get(address, ()), known.get(address))
        for address in addresses
        if address in records or address in known or is_military_address(address)
    }


def last_imports(session: Session) -> dict[str, datetime]:
    """When each database was last imported."""
    return {row.source: row.imported_at for row in session.scalars(sa.select(AirframeImport))}


def _combine(address: str, records: Iterable[AirframeRecord], known: MilitaryRecord | None) -> Airframe:
    ordered = sorted(records, key=lambda record: SOURCES.index(record.source) if record.source in SOURCES else 99)
    flags = 0
    for record in ordered:
        flags |= record.flags
    by_lists = bool(flags & MILITARY) or is_military_address(address)
    return Airframe(
        address,
        registration=_first(record.registration for record in ordered),
        type_code=_first(record.type_code for record in ordered),
        type_name=_first(record.type_name for record in ordered),
        operator=_first(record.operator for record in ordered),
        owner=_first(record.owner for record in ordered),
        year=next((record.year for record in ordered if record.year), None),
        military=by_lists if known is None else known.military,
        decided=known is not None and known.decided is not None,
        interesting=bool(flags & INTERESTING),
        pia=bool(flags & PIA),
        ladd=bool(flags & LADD),
        sources=tuple(record.source for record in ordered),
    )


def _first(values: Iterable[str]) -> str | None:
    return next((value for value in values if value), None)
