"""What a feature publishes to the installation's broker: its rules, their states and their alerts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy.orm import Session


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
