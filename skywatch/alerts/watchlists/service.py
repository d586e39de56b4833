"""The rules of watch lists: ownership and import; one that a rule uses cannot be deleted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.access import MAX_LISTED, MAX_WATCHLISTS, check_room, check_sum, fetch, own, owner_id
from skywatch.alerts.conditions.fields import Kind
from skywatch.alerts.models import Watchlist
from skywatch.alerts.references import check_unused
from skywatch.alerts.revision import raise_revision
from skywatch.alerts.watchlists.entries import CALLSIGN, MAX_ENTRIES, Entries, parse_lines, parse_table
from skywatch.alerts.watchlists.schemas import (
    NewWatchlistFields,
    WatchlistChangeFields,
    WatchlistRecord,
    WatchlistSummary,
)
from skywatch.core.clock import utcnow
from skywatch.core.problems import invalid, invalid_fields
from skywatch.core.storage.audit import Actor, Target, record
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import UNSET
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence


def page(session: Session, visibility: Visibility, offset: int, limit: int) -> tuple[Sequence[Watchlist], int]:
    """A page of the caller's lists (everybody's with ``alerts.manage_all``), by id, without their entries."""
    where = own(Watchlist, visibility)
    count = session.scalar(sa.select(sa.func.count()).select_from(Watchlist).where(where)) or 0
    rows = sa.select(Watchlist).where(where).order_by(Watchlist.id).offset(offset).limit(limit)
    return session.scalars(rows).all(), count


def get(session: Session, visibility: Visibility, watchlist_id: int) -> Watchlist:
    """A watch list; raises Problem (404) if it is not the caller's."""
    return fetch(session, Watchlist, watchlist_id, visibility, sentence("thing.watch_list", "watch list"))


def create(session: Session, visibility: Visibility, actor: Actor, fields: NewWatchlistFields) -> Watchlist:
    """Create a watch list; raises Problem (400, 401, 409)."""
    row = add(session, visibility, fields)
    raise_revision(session)
    _record(session, actor, "watchlist.created", row, after=_audited(row))
    return row


def add(session: Session, visibility: Visibility, fields: NewWatchlistFields) -> Watchlist:
    """``create`` as part of a larger change, which records itself."""
    user_id = owner_id(visibility)
    check_room(session, Watchlist, user_id, MAX_WATCHLISTS, sentence("thing.watch_lists", "watch lists"))
    now = utcnow()
    row = Watchlist(user_id=user_id, name=fields.name, created_at=now, updated_at=now)
    _fill(session, row, fields.entries)
    session.add(row)
    session.flush()
    return row


def change(
    session: Session, visibility: Visibility, actor: Actor, watchlist_id: int, fields: WatchlistChangeFields
) -> Watchlist:
    """Change a watch list; entries replace all existing ones."""
    row = get(session, visibility, watchlist_id)
    before = _audited(row)
    row.name = fields.name or row.name
    if fields.entries is not UNSET:
        _fill(session, row, fields.entries)
        row.revision += 1
    row.updated_at = utcnow()
    raise_revision(session)
    after = _audited(row) | ({"entries_changed": True} if fields.entries is not UNSET else {})
    _record(session, actor, "watchlist.changed", row, before=before, after=after)
    return row


def delete(session: Session, visibility: Visibility, actor: Actor, watchlist_id: int) -> None:
    """Delete a watch list; raises Problem (409) if a rule uses it."""
    row = get(session, visibility, watchlist_id)
    check_unused(session, Kind.WATCHLIST, row.id, row.user_id, sentence("thing.watch_list", "watch list"))
    session.delete(row)
    raise_revision(session)
    _record(session, actor, "watchlist.deleted", row, before=_audited(row))


def import_text(
    session: Session,
    visibility: Visibility,
    actor: Actor,
    watchlist_id: int,
    text: str,
    *,
    is_table: bool,
    replace: bool,
) -> tuple[Watchlist, int]:
    """Add the entries of a text, or replace all; returns the list and the number of new entries. All or none."""
    row = get(session, visibility, watchlist_id)
    values, faults = parse_table(text) if is_table else parse_lines(text)
    if faults:
        raise invalid_fields({f"line {line}": detail for line, detail in faults})
    present, before = _audited(row), set(entries_of(row))
    _fill(session, row, values if replace else [*entries_of(row), *values])
    row.revision += 1
    row.updated_at = utcnow()
    raise_revision(session)
    _record(session, actor, "watchlist.imported", row, before=present, after={**_audited(row), "replaced": replace})
    return row, len(set(values) - before)


def _fill(session: Session, row: Watchlist, values: Iterable[str]) -> None:
    """Give a list these entries; raises Problem (400, 409) where there are too many of them."""
    entries = list(dict.fromkeys(values))
    if len(entries) > MAX_ENTRIES:
        raise invalid(
            "entries",
            sentence(
                "alerts.watch_list_entries",
                "a watch list holds at most {most} entries, not {count}",
                most=MAX_ENTRIES,
                count=len(entries),
            ),
        )
    others = sa.and_(Watchlist.user_id == row.user_id, Watchlist.id != (row.id or 0))
    noun = sentence("thing.watch_list_entries", "entries in watch lists")
    check_sum(session, Watchlist.entry_count, others, MAX_LISTED, noun, len(entries))
    row.entries, row.entry_count = "\n".join(entries), len(entries)


def _record(session: Session, actor: Actor, action: str, row: Watchlist, **states: Mapping[str, Any]) -> None:
    record(session, actor, action, Target("watchlist", row.id, row.name), **states)


def _audited(row: Watchlist) -> dict[str, Any]:
    return {"user_id": row.user_id, "name": row.name, "entry_count": row.entry_count}


def entries_of(row: Watchlist) -> list[str]:
    """The entries in order."""
    return row.entries.split("\n") if row.entries else []


def watchlist_answer(row: Watchlist, *, entries: bool = False) -> dict[str, Any]:
    """A watch list as the API answers it, with its entries or without."""
    if entries:
        return answer(WatchlistRecord, row, user=row.user_id, entries=entries_of(row))
    return answer(WatchlistSummary, row, user=row.user_id)


def watched_aircraft(session: Session, user_id: int, names: Mapping[str, tuple[str, str]]) -> set[str]:
    """Those of some aircraft (address in upper case -> registration, callsign) that lists of a user name."""
    possible = {text for address, texts in names.items() for text in (address, *texts, f"{CALLSIGN}{texts[1]}")}
    listed: set[str] = set()
    for text in session.scalars(sa.select(Watchlist.entries).where(Watchlist.user_id == user_id)):
        # A list may have 100,000 entries: what it says of an entry is looked at of those that matter.
        listed |= possible.intersection(text.split("\n"))
    entries = Entries(tuple(listed - {""}))
    return {
        address
        for address, (registration, callsign) in names.items()
        if address in entries.addresses or registration in entries.registrations or callsign in entries.callsigns
    }
