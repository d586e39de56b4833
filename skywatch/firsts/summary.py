"""The weekly summary, for channels that subscribe to it: what flew, what was new, and which records were set.

Each user is told what they may see.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.firsts.days import span_of
from skywatch.firsts.models import CountedDay
from skywatch.firsts.service import days_for, kinds_for, new_in, records_set
from skywatch.notify.channels.queries import subscribers_of
from skywatch.notify.deliveries.outbox import Notification, enqueue
from skywatch.notify.user_rights import visibilities
from skywatch.security.visibility import Visibility
from skywatch.settings import Settings

KIND, EVENT = "firsts", "firsts.summary"
WEEK = timedelta(days=7)
# So many of a kind are named in the text.
NAMED = 12
_NAMES = {"type": "types", "operator": "operators", "country": "countries", "airframe": "aircraft"}


def monday_of(day: date) -> date:
    """The first day of the week of a day."""
    return day - timedelta(days=day.weekday())


def notify_of_week(session: Session, settings: Settings, monday: date, zone: ZoneInfo, now: datetime) -> int:
    """Write the summary of a week to the outbox of every user with a channel for it; how many deliveries that is."""
    subscribers = subscribers_of(session, KIND)
    notifications = []
    for user_id, visibility in visibilities(session, settings, subscribers).items():
        body, airframes, military = summary_of(session, visibility, monday, zone)
        notifications.append(
            Notification(
                kind=KIND,
                subject_id=monday.toordinal(),
                user_id=user_id,
                priority="info",
                channel_ids=subscribers[user_id],
                body=body,
                title=f"The week from {monday.isoformat()}",
                text=text_of(body, airframes),
                at=now,
                event=EVENT,
                # It is made of what this user may see now; whoever may see less by the time it is sent gets none.
                military=military,
            )
        )
    return enqueue(session, notifications)


def summary_of(
    session: Session, visibility: Visibility, monday: date, zone: ZoneInfo
) -> tuple[dict[str, Any], int, bool]:
    """The summary of a week as JSON, how many airframes were new, and whether military aircraft are in it."""
    days = [monday + timedelta(days=number) for number in range(7)]
    begin, end = span_of(days[0], zone)[0], span_of(days[-1], zone)[1]
    new, airframes = new_in(session, visibility, (begin, end))
    keys: dict[str, list[str]] = defaultdict(list)
    for first in new:
        keys[first["kind"]].append(first["key"])
    flights = _flights(session, visibility, days, military=visibility.military)
    body = {
        "from": days[0].isoformat(),
        "to": days[-1].isoformat(),
        "flights": flights,
        "new": {kind: sorted(keys[kind]) for kind in kinds_for(visibility)},
        "records": sorted({name for day in days for name in records_set(session, visibility, day)}),
    }
    return body, airframes, flights > _flights(session, visibility, days, military=False)


def _flights(session: Session, visibility: Visibility, days: list[date], *, military: bool) -> int:
    total = days_for(session, visibility, military).where(CountedDay.day.in_(days))
    return session.scalar(total.with_only_columns(sa.func.sum(CountedDay.flights))) or 0


def text_of(body: dict[str, Any], airframes: int) -> str:
    """The summary in words; so many ``airframes`` were new."""
    new = body["new"]
    lines = [f"{body['flights']:,} flights; {airframes:,} aircraft were here for the first time."]
    for kind, name in _NAMES.items():
        keys = new.get(kind, ())
        if keys and kind != "airframe":
            more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
            lines.append(f"New {name}: {', '.join(keys[:NAMED])}{more}.")
    if body["records"]:
        lines.append(f"Records: {', '.join(name.replace('_', ' ') for name in body['records'])}.")
    return "\n".join(lines)
