"""The rules of ACARS messages over REST: filters, search, statistics, and who sees what."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.acars.decoding.labels import LABELS
from skywatch.acars.models import AcarsMessage
from skywatch.acars.search.full_text import identifiers
from skywatch.acars.search.search import Search, parse
from skywatch.airframes.military import civil_rows
from skywatch.core.clock import to_iso, utcnow
from skywatch.core.problems import Problem, invalid_fields, not_found
from skywatch.http.lists.cursor import Key
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

# The label of messages that say no more than that another one came, in both of its forms.
ACKNOWLEDGEMENTS = ("_d", "_\x7f")
STATS_SPAN = timedelta(hours=24)
# Matches are counted up to this number: to count millions takes longer than to find the newest. Of a search it is what
# a phrase of frequent words, of which one message in a thousand has it, allows within its time.
MAX_COUNTED = 10_000
MAX_COUNTED_OF_A_SEARCH = 250
# A search in a span of no more messages looks at each of them.
MAX_LOOKED_AT = 20_000
FREQUENCY_MARGIN_MHZ = 0.0005
# Messages of an export that are read at a time.
BATCH = 500
MAX_GROUPS = 100


def visible(visibility: Visibility) -> sa.Select[Any]:
    """The messages that a caller may see: those of military aircraft only with the right."""
    query = sa.select(AcarsMessage)
    return query if visibility.military else query.where(civil_rows(AcarsMessage))


def find(
    session: Session, visibility: Visibility, filters: dict[str, Any], limit: int, offset: int, after: Key | None
) -> tuple[Sequence[AcarsMessage], int, Key | None]:
    """A page of messages, the latest received first; how many match, up to a limit; the last one's key."""
    query = _filtered(session, visibility, filters)
    if filters.get("q") is not None:
        words = _parsed(visibility, filters["q"])
        search = functools.partial(identifiers, session, query, words, is_narrow=_is_narrow(session, filters))
        return _search(session, search, limit, offset, after)
    counted = query.with_only_columns(AcarsMessage.id).order_by(None).limit(MAX_COUNTED).subquery()
    count = session.scalar(sa.select(sa.func.count()).select_from(counted)) or 0
    if after is not None:
        query = query.where(AcarsMessage.id < after[1])
    rows = session.scalars(query.order_by(AcarsMessage.id.desc()).offset(offset).limit(limit + 1)).all()
    return _page(rows, limit, count)


def batches(session: Session, visibility: Visibility, filters: dict[str, Any]) -> Iterator[Sequence[AcarsMessage]]:
    """All messages that the filters select, the latest received first, some at a time.

    The filters are checked before the first batch is asked for. Each is read in a transaction of its own.
    """
    query = _filtered(session, visibility, filters)
    if filters.get("q") is None:

        def page(before: int | None) -> Sequence[AcarsMessage]:
            rows = query if before is None else query.where(AcarsMessage.id < before)
            return session.scalars(rows.order_by(AcarsMessage.id.desc()).limit(BATCH)).all()

    else:
        words, is_narrow = _parsed(visibility, filters["q"]), _is_narrow(session, filters)

        def page(before: int | None) -> Sequence[AcarsMessage]:
            ids = identifiers(session, query, words, before, BATCH, is_narrow=is_narrow)
            rows = sa.select(AcarsMessage).where(AcarsMessage.id.in_(ids)).order_by(AcarsMessage.id.desc())
            return session.scalars(rows).all() if ids else []

    return _batches(session, page)


def _batches(
    session: Session, page: Callable[[int | None], Sequence[AcarsMessage]]
) -> Iterator[Sequence[AcarsMessage]]:
    before = None
    while rows := page(before):
        before = rows[-1].id
        session.expunge_all()
        session.rollback()
        yield rows


def _search(
    session: Session, search: Callable[[int | None, int], list[int]], limit: int, offset: int, after: Key | None
) -> tuple[Sequence[AcarsMessage], int, Key | None]:
    most = MAX_COUNTED_OF_A_SEARCH
    newest = search(None, most)
    page = newest if after is None else [message for message in newest if message < after[1]]
    size = offset + limit + 1
    if len(page) < size and len(newest) == most:
        # The page goes on behind those that were counted.
        before = newest[-1] if after is None else min(newest[-1], after[1])
        page += search(before, size - len(page))
    rows = sa.select(AcarsMessage).where(AcarsMessage.id.in_(page[offset:size])).order_by(AcarsMessage.id.desc())
    return _page(session.scalars(rows).all() if page[offset:size] else [], limit, len(newest))


def _is_narrow(session: Session, filters: dict[str, Any]) -> bool:
    """Whether filters with an index select so few messages that a search may look at each of them."""
    if filters.get("icao_hex") is not None or filters.get("registration") is not None:
        return True
    begin, end = filters.get("from"), filters.get("to")
    if begin is None and end is None:
        return False
    some = _between(sa.select(AcarsMessage.id), begin, end).limit(MAX_LOOKED_AT + 1).subquery()
    return (session.scalar(sa.select(sa.func.count()).select_from(some)) or 0) <= MAX_LOOKED_AT


def _page(rows: Sequence[AcarsMessage], limit: int, count: int) -> tuple[Sequence[AcarsMessage], int, Key | None]:
    """One page of rows, of which there is one more than fits where another page follows."""
    last = (rows[limit - 1].received_at, rows[limit - 1].id) if len(rows) > limit else None
    return rows[:limit], count, last


def get(session: Session, visibility: Visibility, message_id: int) -> AcarsMessage:
    """One message; raises Problem (404) where there is none that the caller may see."""
    message: AcarsMessage | None = session.scalar(visible(visibility).where(AcarsMessage.id == message_id))
    if message is None:
        raise not_found(sentence("thing.acars_message", "ACARS message"))
    return message


def _parsed(visibility: Visibility, text: str) -> Search:
    if Permission.ACARS_VIEW_FULL not in visibility.permissions:
        raise Problem(
            "permission_denied", sentence("acars.search_needs_full", "Searching texts needs acars.view_full.")
        )
    try:
        return parse(text)
    except ValueError as error:
        raise invalid_fields({"q": str(error)}, "querystring") from None


def _filtered(session: Session, visibility: Visibility, filters: dict[str, Any]) -> sa.Select[Any]:
    query = visible(visibility)
    if filters.get("registration") is not None and not visibility.details:
        raise Problem(
            "permission_denied",
            sentence("acars.registration_needs_details", "The filter registration needs aircraft.view_details."),
        )
    if filters.get("icao_hex") is not None:
        query = query.where(AcarsMessage.icao_hex == filters["icao_hex"].upper())
    if filters.get("flight") is not None:
        flight = filters["flight"].strip().upper()
        query = query.where(sa.or_(AcarsMessage.flight == flight, AcarsMessage.callsign == flight))
    for name in ("registration", "label", "source", "direction", "kind"):
        value = filters.get(name)
        if value is not None:
            query = query.where(getattr(AcarsMessage, name) == _cased(name, value))
    if filters.get("acknowledgements") is not None:
        is_acknowledgement = AcarsMessage.label.in_(ACKNOWLEDGEMENTS)
        query = query.where(is_acknowledgement if filters["acknowledgements"] else ~is_acknowledgement)
    if filters.get("station") is not None:
        query = query.where(_received_by(session, filters["station"]))
    if filters.get("frequency") is not None:
        frequency = filters["frequency"]
        low, high = frequency - FREQUENCY_MARGIN_MHZ, frequency + FREQUENCY_MARGIN_MHZ
        query = query.where(AcarsMessage.frequency_mhz.between(low, high))
    return _between(query, filters.get("from"), filters.get("to"))


def _cased(name: str, value: str) -> str:
    """A filter's text in the case that is stored; labels are upper case but for ``_d``."""
    if name == "registration":
        return value.strip().upper()
    if name == "label":
        return value if value in LABELS else value.upper()
    return value.lower()


def _between(query: sa.Select[Any], begin: datetime | None, end: datetime | None) -> sa.Select[Any]:
    if begin is not None:
        query = query.where(AcarsMessage.at >= begin)
    return query.where(AcarsMessage.at < end) if end is not None else query


def stats(session: Session, visibility: Visibility, begin: datetime | None, end: datetime | None) -> dict[str, Any]:
    """Messages of a span counted; the last 24 h by default."""
    rows = _between(visible(visibility), begin or utcnow() - STATS_SPAN, end).subquery()
    total, decoded, linked = session.execute(
        sa.select(
            sa.func.count(),
            sa.func.count().filter(rows.c.kind.is_not(None)),
            sa.func.count().filter(rows.c.icao_hex.is_not(None)),
        ).select_from(rows)
    ).one()
    return {
        "total": total,
        "decoded": decoded,
        "linked": linked,
        "by_hour": _by_hour(session, rows),
        "by_label": _counts(session, rows.c.label),
        "by_source": _counts(session, rows.c.source),
        "by_station": _counts(session, rows.c.station),
        "by_kind": _counts(session, rows.c.kind),
    }


def _counts(session: Session, column: Any) -> dict[str, int]:
    """The most frequent values of a column."""
    query = sa.select(column, sa.func.count()).where(column.is_not(None)).group_by(column)
    query = query.order_by(sa.func.count().desc(), column).limit(MAX_GROUPS)
    return {row[0]: row[1] for row in session.execute(query)}


def _by_hour(session: Session, rows: Any) -> list[dict[str, Any]]:
    if session.get_bind().dialect.name == "sqlite":
        hour: Any = sa.func.strftime("%Y-%m-%dT%H:00:00Z", rows.c.at)
        hours = session.execute(sa.select(hour, sa.func.count()).group_by(hour).order_by(hour))
        return [{"at": row[0], "count": row[1]} for row in hours]
    hour = sa.func.date_trunc("hour", rows.c.at, "UTC")
    hours = session.execute(sa.select(hour, sa.func.count()).group_by(hour).order_by(hour))
    return [{"at": to_iso(row[0]), "count": row[1]} for row in hours]


def labels(session: Session, visibility: Visibility) -> list[dict[str, Any]]:
    """Labels that have a name and those that were received, with how many messages of the last 24 hours."""
    rows = _between(visible(visibility), utcnow() - STATS_SPAN, None).subquery()
    query = sa.select(rows.c.label, sa.func.count()).group_by(rows.c.label)
    counts = {row[0]: row[1] for row in session.execute(query)}
    names = sorted({*(label for label in LABELS if label.isprintable()), *counts})
    return [{"label": label, "name": LABELS.get(label), "count": counts.get(label, 0)} for label in names]


def _received_by(session: Session, name: str) -> Any:
    """Selects what a station received; upper and lower case are the same."""
    name = name.lower()
    # The list is looked into only where the first station is another one.
    return sa.or_(sa.func.lower(AcarsMessage.station) == name, _is_in_heard_by(session, name))


def _is_in_heard_by(session: Session, name: str) -> Any:
    if session.get_bind().dialect.name == "sqlite":
        receptions = sa.func.json_each(AcarsMessage.heard_by).table_valued(sa.column("value", sa.Text))
        station: Any = sa.func.json_extract(receptions.c.value, "$.station")
    else:
        receptions = sa.func.jsonb_array_elements(AcarsMessage.heard_by).table_valued(sa.column("value", sa.Text))
        station = receptions.c.value.op("->>")("station")
    return sa.exists(sa.select(1).select_from(receptions).where(sa.func.lower(station) == name))
