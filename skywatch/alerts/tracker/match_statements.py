"""The statements on the stored matches of rules, for the writer of the tracker.

Each is built once: to build one takes longer than to run it. The primary key of ``alert_matches`` prevents duplicates:
a second tracker, or one that was restarted, conflicts with the existing row.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from skywatch.alerts.models import AlertMatch
from skywatch.core.database.engine import insert_of

_matches: Any = AlertMatch.__table__
_KEY = ("rule_id", "user_id", "icao_hex")

# A rule, one of its users and an address (or NOBODY).
MatchKey = tuple[int, int, str]

_of_key = sa.and_(*(_matches.c[name] == sa.bindparam(f"of_{name}") for name in _KEY))
_link = sa.update(_matches).where(_of_key).values(alert_id=sa.bindparam("to_alert"))
_clear = (
    sa.update(_matches)
    .where(_of_key, _matches.c.matching)
    .values(matching=False, updated_at=sa.bindparam("now"))
    .returning(_matches.c.alert_id)
)


@functools.cache
def _claim(dialect: str) -> Any:
    # A clock that was set back must not suppress a rule's alerts forever.
    is_cooled = sa.or_(
        _matches.c.fired_at.is_(None),
        _matches.c.fired_at <= sa.bindparam("cooled_until"),
        _matches.c.fired_at > sa.bindparam("future_from"),
    )
    # Nor does an alert in doubt suppress one that is sure.
    is_cooled = sa.or_(is_cooled, sa.and_(_matches.c.in_doubt, sa.bindparam("is_sure")))
    insert = insert_of(dialect, _matches)
    changed = {name: insert.excluded[name] for name in ("matching", "fired_at", "alert_id", "in_doubt", "updated_at")}
    claim = insert.on_conflict_do_update(
        index_elements=_KEY, set_=changed, where=sa.and_(_matches.c.matching.is_(False), is_cooled)
    )
    return claim.returning(_matches.c.rule_id)


@functools.cache
def _adopt(dialect: str) -> Any:
    insert = insert_of(dialect, _matches)
    changed = {name: insert.excluded[name] for name in ("matching", "in_doubt", "updated_at")}
    return insert.on_conflict_do_update(index_elements=_KEY, set_=changed)


def claim(connection: sa.Connection, key: MatchKey, at: datetime, cooldown_s: float, in_doubt: bool = False) -> bool:
    """Mark a pair as matching; False if it matches already or is in its cooldown."""
    row = _row(key, at) | {"fired_at": at, "alert_id": None, "in_doubt": in_doubt}
    limits: dict[str, Any] = {
        "cooled_until": at - timedelta(seconds=cooldown_s),
        "future_from": at + timedelta(days=1),
        "is_sure": not in_doubt,
    }
    return connection.execute(_claim(connection.dialect.name), row | limits).first() is not None


def link(connection: sa.Connection, alerts: Sequence[tuple[MatchKey, int]]) -> None:
    """Store the alerts of claimed pairs, by their ids."""
    if alerts:
        connection.execute(_link, [_of(key) | {"to_alert": alert_id} for key, alert_id in alerts])


def clear(connection: sa.Connection, key: MatchKey, at: datetime) -> int | None:
    """Mark a pair as not matching; the id of its alert, None if it did not match or has none."""
    row = connection.execute(_clear, _of(key) | {"now": at}).first()
    alert_id: int | None = row.alert_id if row is not None else None
    return alert_id


def adopt(connection: sa.Connection, keys: Sequence[MatchKey], in_doubt: Sequence[bool], at: datetime) -> None:
    """Mark pairs as matching without an alert."""
    if keys:
        rows = [_row(key, at) | {"in_doubt": doubt} for key, doubt in zip(keys, in_doubt, strict=True)]
        connection.execute(_adopt(connection.dialect.name), rows)


def _row(key: MatchKey, at: datetime) -> dict[str, Any]:
    return {**dict(zip(_KEY, key, strict=True)), "matching": True, "updated_at": at}


def _of(key: MatchKey) -> dict[str, Any]:
    rule_id, user_id, address = key
    return {"of_rule_id": rule_id, "of_user_id": user_id, "of_icao_hex": address}
