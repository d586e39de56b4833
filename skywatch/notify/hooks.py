"""What features provide to notifications."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from skywatch.core.hooks import Hook

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from skywatch.core.feature import FeatureSet


@dataclass(frozen=True, kw_only=True)
class NotificationKind(Hook):
    """What users can be notified of, and the permission they need for it.

    ``addressed`` notifications name the channels they are sent to; channels subscribe to the others.
    ``delivered(session, channel_kind, subject_ids)`` is called in the transaction that records a delivery.
    """

    label: ClassVar[str] = "kind of notification"
    name: str
    permission: str
    addressed: bool = False
    delivered: Callable[[Session, str, Sequence[int]], None] | None = None


def subscribed_kinds(features: FeatureSet) -> list[str]:
    """The kinds of notifications that channels subscribe to, in alphabetical order."""
    return sorted(kind.name for kind in features.provided(NotificationKind) if not kind.addressed)


@dataclass(frozen=True)
class RuleState:
    """A published rule: whether any aircraft matches it now, and how many do."""

    id: int
    name: str
    active: bool
    count: int


@dataclass(frozen=True)
class RuleAlert:
    """An alert of a published rule; ``document`` is JSON."""

    id: int
    rule_id: int
    document: dict[str, Any]


class RuleSource(Protocol):
    """Read from the database by the worker that publishes."""

    def rules(self, session: Session) -> Sequence[RuleState]:
        """The enabled rules to publish."""

    def last_alert_id(self, session: Session) -> int:
        """The id of the newest alert, 0 if there is none."""

    def events_after(self, session: Session, alert_id: int, limit: int) -> Sequence[RuleAlert]:
        """Alerts of published rules with higher ids, oldest first."""

    def statistics(self, session: Session) -> dict[str, Any]:
        """Figures of the installation as JSON."""


@dataclass(frozen=True)
class MqttSource(Hook):
    """What the installation publishes over MQTT; the first feature that has one is asked."""

    create: Callable[[], RuleSource]
