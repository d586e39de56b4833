"""Reading the list of known aircraft: searched, counted, and one aircraft by its address."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import civil_rows
from skywatch.cannonball.known.schemas import KnownEntry
from skywatch.cannonball.models import KnownAircraft
from skywatch.cannonball.vocabulary import AgencyType, values
from skywatch.core.text.accents import fold
from skywatch.http.resources.answer import members
from skywatch.security.visibility import Visibility

_COUNT = sa.func.count()
_VERIFIED = sa.func.count(sa.case((KnownAircraft.verified, 1)))


class Filters(NamedTuple):
    """The filters of the list; None matches everything."""

    search: str | None = None
    agency_type: str | None = None
    agency_state: str | None = None
    source: str | None = None
    verified: bool | None = None


@dataclass(frozen=True)
class SearchResult:
    """A page of the entries that match, by address, with the number of all of them and of the verified ones."""

    entries: list[dict[str, Any]]
    count: int
    verified_count: int


@dataclass(frozen=True)
class Totals:
    """The statistics of the list: every agency type is named, and the states that occur."""

    total: int
    verified: int
    by_agency_type: dict[str, int]
    by_state: dict[str, int]


def find(session: Session, visibility: Visibility, filters: Filters, offset: int, limit: int) -> SearchResult:
    """Return one page of the entries that match every filter."""
    conditions = [*_visible(visibility), *_matching(filters)]
    count, verified = session.execute(sa.select(_COUNT, _VERIFIED).where(*conditions)).one()
    address = KnownAircraft.icao_hex
    # The page is found in the index alone; only its own rows are looked up in the table.
    page = sa.select(address).where(*conditions).order_by(address).offset(offset).limit(limit)
    entries = session.execute(_entries().where(address.in_(page)).order_by(address))
    return SearchResult([dict(row) for row in entries.mappings()], count, verified)


def check(session: Session, visibility: Visibility, icao_hex: str) -> dict[str, Any] | None:
    """Return the entry of an address in upper case; None if it is not on the list."""
    query = _entries().where(KnownAircraft.icao_hex == icao_hex, *_visible(visibility))
    entry = session.execute(query).mappings().first()
    return dict(entry) if entry is not None else None


def totals(session: Session, visibility: Visibility) -> Totals:
    """Return the statistics of the list."""
    groups = KnownAircraft.agency_type, KnownAircraft.agency_state
    query = sa.select(*groups, _COUNT, _VERIFIED).where(*_visible(visibility)).group_by(*groups)
    types, states, total, all_verified = Counter[str](), Counter[str](), 0, 0
    for agency_type, state, count, verified in session.execute(query):
        types[agency_type] += count
        states[state] += count
        total += count
        all_verified += verified
    by_state = {state: states[state] for state in sorted(states) if state}
    return Totals(total, all_verified, {name: types[name] for name in values(AgencyType)}, by_state)


def _entries() -> sa.Select[Any]:
    """The members of the answer as plain columns, which cost less than ORM objects."""
    return sa.select(*(getattr(KnownAircraft, name) for name in members(KnownEntry)))


def _visible(visibility: Visibility) -> list[sa.ColumnElement[bool]]:
    return [] if visibility.military else [civil_rows(KnownAircraft)]


def _matching(filters: Filters) -> list[sa.ColumnElement[bool]]:
    columns = filters._replace(search=None)._asdict()
    conditions = [getattr(KnownAircraft, name) == value for name, value in columns.items() if value is not None]
    if filters.search is not None and (text := fold(filters.search)):
        conditions.append(KnownAircraft.search_text.contains(text, autoescape=True))
    return conditions
