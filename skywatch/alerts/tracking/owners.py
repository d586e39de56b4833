"""The rights of the users of rules, read in three queries."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy.orm import Session

from skywatch.alerts.engine.program import Rights
from skywatch.notify.user_rights import visibilities
from skywatch.security.permissions import Permission
from skywatch.settings import Settings


def rights_of(session: Session, settings: Settings, user_ids: Iterable[int]) -> dict[int, Rights]:
    """The rights of those users who are active and may see alerts."""
    return {
        user_id: Rights.of(visibility, exact_station=visibility.exact_station)
        for user_id, visibility in visibilities(session, settings, user_ids).items()
        if Permission.ALERTS_VIEW in visibility.permissions
    }
