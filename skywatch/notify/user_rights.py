"""The visibility and the persons of users outside of requests; the rights of a channel's user at every attempt."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy.orm import Session

from skywatch.airframes.military import military_aircraft
from skywatch.core.feature import FeatureSet
from skywatch.notify.hooks import NotificationKind
from skywatch.notify.models import Delivery
from skywatch.security.hooks import UserDirectory
from skywatch.security.identity import person_of_user
from skywatch.security.visibility import Visibility
from skywatch.settings import Settings


class UserRights:
    """The rights of one user at one moment."""

    def __init__(self, session: Session, settings: Settings, user_id: int) -> None:
        features: FeatureSet = settings.features
        self._kinds = {kind.name: kind for kind in features.provided(NotificationKind)}
        self._military = military_aircraft(session)
        self._may = visibilities(session, settings, [user_id]).get(user_id)

    def may_receive(self, delivery: Delivery) -> bool:
        """Whether this may be sent to the user: an active account, the kind's permission, and the military one."""
        kind = self._kinds.get(delivery.kind)
        if self._may is None or (kind is not None and kind.permission not in self._may.permissions):
            return False
        return self._may.military or not self._military.any_of(delivery.aircraft, was_marked=delivery.military)


def visibilities(session: Session, settings: Settings, user_ids: Iterable[int]) -> dict[int, Visibility]:
    """The visibility of active users; deleted and deactivated accounts are omitted."""
    ids, users = list(set(user_ids)), _users(settings)
    return dict(users.visibilities(session, settings.auth_mode, ids)) if ids and users is not None else {}


def people(session: Session, settings: Settings, user_ids: Iterable[int]) -> dict[int, str]:
    """Who has their part of what people share, of each of these users (``skywatch.core.limits``)."""
    ids, users = list(set(user_ids)), _users(settings)
    if not ids or users is None:
        return {user_id: person_of_user(user_id, None) for user_id in ids}
    return dict(users.people(session, ids))


def _users(settings: Settings) -> UserDirectory | None:
    features: FeatureSet = settings.features
    return features.only(UserDirectory)
