"""The rights of the users of rules, read in four queries."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy.orm import Session

from skywatch.alerts.engine.program import Rights
from skywatch.notify.user_rights import visibilities
from skywatch.security.permissions import Permission
from skywatch.settings import Settings


def rights_of(session: Session, settings: Settings, user_ids: Iterable[int]) -> dict[int, Rights]:
    """The rights of those users who are active and may see alerts."""
    # Most users have the rights of many others.
    rights: dict[tuple[frozenset[str], bool], Rights] = {}
    of_users = {}
    for user_id, visibility in visibilities(session, settings, user_ids).items():
        if Permission.ALERTS_VIEW not in visibility.permissions:
            continue
        key = visibility.permissions, visibility.exact_station
        if key not in rights:
            rights[key] = Rights.of(visibility, exact_station=visibility.exact_station)
        of_users[user_id] = rights[key]
    return of_users
