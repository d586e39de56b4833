"""The visibility of users outside of requests; the rights of a channel's user, checked at every attempt."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy.orm import Session

from skywatch.core.feature import FeatureSet
from skywatch.notify.models import Delivery
from skywatch.security.visibility import Visibility
from skywatch.settings import Settings


class UserRights:
    """The rights of one user at one moment."""

    def __init__(self, session: Session, settings: Settings, user_id: int) -> None:
        self._features: FeatureSet = settings.features
        self._may = visibilities(session, settings, [user_id]).get(user_id)

    def may_receive(self, delivery: Delivery) -> bool:
        """Whether this may be sent to the user: an active account, the kind's permission, and the military one."""
        kind = self._features.notifications.get(delivery.kind)
        if self._may is None or (kind is not None and kind.permission not in self._may.permissions):
            return False
        return self._may.military or not delivery.military


def visibilities(session: Session, settings: Settings, user_ids: Iterable[int]) -> dict[int, Visibility]:
    """The visibility of active users; deleted and deactivated accounts are omitted."""
    ids, read = list(set(user_ids)), settings.features.visibilities()
    if not ids or read is None:
        return {}
    rights: dict[int, Visibility] = read(session, settings.auth_mode, ids)
    return rights
