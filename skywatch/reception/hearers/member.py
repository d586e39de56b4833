"""``heard_by``: the receivers and feeders that hear an aircraft, named as far as a caller may know them."""

from __future__ import annotations

from collections.abc import Collection, Set
from datetime import UTC, datetime
from typing import Any

import colander
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.runtime import Runtime
from skywatch.feeders.models import Feeder
from skywatch.feeders.names import feeder_id_of, is_anonymous
from skywatch.feeders.records.answers import is_exact
from skywatch.feeders.records.service import manages
from skywatch.http.resources.schema import (
    JsonList,
    JsonNumber,
    Nullable,
    Schema,
    choice_node,
    integer_node,
    node,
    nullable_node,
    string_node,
    timestamp_node,
)
from skywatch.reception.hearers.hearers import Hearer, HearerClient
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility


class HeardBy(Schema):
    """A receiver or feeder that heard the aircraft, or how many did that are not named."""

    name = string_node("Name of the receiver or feeder.", missing=colander.drop)
    kind = choice_node(("receiver", "feeder"), "`receiver` or `feeder`.", missing=colander.drop)
    rssi = nullable_node(
        JsonNumber(), "Signal of its newest message (dBFS); null where it is unknown.", missing=colander.drop
    )
    last_at = timestamp_node("When it heard the aircraft last.", missing=colander.drop)
    count = integer_node("Receivers and feeders that are not named.", missing=colander.drop)


HEARD_BY = node(
    Nullable(JsonList()),
    "Who heard the aircraft in the newest 60 s, the latest first: receivers for holders of `system.view_status`,"
    " feeders whose place the caller may know for holders of `feeders.view`, those without a record (`anonymous-1`) for"
    " holders of `feeders.manage`, and one `{count}` of the others; null without the first two permissions, or while"
    " the tracker does not answer.",
    HeardBy(name="hearer"),
)


def heard_by(
    runtime: Runtime, session: Session, addresses: Set[str], visibility: Visibility
) -> dict[str, list[dict[str, Any]]]:
    """The receivers of each aircraft (upper-case addresses)."""
    client = runtime.shared(HearerClient)
    answers = {}
    for address in addresses:
        hearers = client.hearers(address.lower())
        if hearers is not None:
            answers[address] = named(session, hearers, visibility)
    return answers


def named(session: Session, hearers: Collection[Hearer], visibility: Visibility) -> list[dict[str, Any]]:
    """The hearers that a caller may know, and the count of the others."""
    feeders = _feeders(session, hearers, visibility)
    sees_receivers = Permission.SYSTEM_VIEW_STATUS in visibility.permissions
    entries, unnamed = [], 0
    for hearer in hearers:
        number = feeder_id_of(hearer.receiver)
        if number is not None and number in feeders:
            entries.append(_entry(feeders[number], "feeder", hearer))
        elif is_anonymous(hearer.receiver) and manages(visibility):
            entries.append(_entry(hearer.receiver, "feeder", hearer))
        elif number is None and not is_anonymous(hearer.receiver) and sees_receivers:
            entries.append(_entry(hearer.receiver, "receiver", hearer))
        else:
            unnamed += 1
    return [*entries, {"count": unnamed}] if unnamed else entries


def _feeders(session: Session, hearers: Collection[Hearer], visibility: Visibility) -> dict[int, str]:
    """The names of the feeders among them that a caller may know, by id."""
    ids = {number for hearer in hearers if (number := feeder_id_of(hearer.receiver)) is not None}
    if not ids or Permission.FEEDERS_VIEW not in visibility.permissions:
        return {}
    rows = session.scalars(sa.select(Feeder).where(Feeder.id.in_(ids)))
    return {feeder.id: feeder.name for feeder in rows if is_exact(visibility, feeder)}


def _entry(name: str, kind: str, hearer: Hearer) -> dict[str, Any]:
    last_at = datetime.fromtimestamp(hearer.last_at, UTC)
    return {"name": name, "kind": kind, "rssi": hearer.rssi, "last_at": last_at}
