"""What requests are about, where that is not just any row of a table: queries for ids, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from skywatch.accounts.models import Role, User, UserRole
from skywatch.alerts.models import AlertRule, Watchlist
from skywatch.audio.models import Transmission
from skywatch.history.models import Flight
from skywatch.notify.models import Channel, Delivery

# The user id of the administrator -> a query for ids.
Subject = Callable[[int], sa.Select[Any]]
SUBJECTS: dict[str, Subject] = {
    "followed": lambda me: sa.select(AlertRule.id).where(AlertRule.user_id != me).order_by(AlertRule.id),
    "long list": lambda me: sa.select(Watchlist.id).order_by(Watchlist.entry_count.desc()),
    "large rule": lambda me: sa.select(AlertRule.id).where(AlertRule.user_id == me, AlertRule.name == "Large"),
    "channel": lambda me: sa.select(Channel.id).order_by(Channel.id),
    "last channel": lambda me: sa.select(Channel.id).order_by(Channel.id.desc()),
    "dead delivery": lambda me: sa.select(Delivery.id).order_by(Delivery.id.desc()),
    "large recording": lambda me: sa.select(Transmission.id).order_by(Transmission.bytes.desc()),
    "transmission": lambda me: sa.select(Transmission.id).order_by(Transmission.id.desc()),
    "other user": lambda me: sa.select(User.id).where(User.id != me).order_by(User.id),
    "own role": lambda me: sa.select(Role.id).where(Role.name.like("role_%")).order_by(Role.id.desc()),
    "assignment": lambda me: sa.select(UserRole.id).where(UserRole.user_id != me).order_by(UserRole.id.desc()),
    "longest flight": lambda me: sa.select(Flight.id).order_by(Flight.points.desc()),
}
# What is asked about over and over: each request may be about the first.
SAME = frozenset(("large rule", "long list", "longest flight", "large recording"))
