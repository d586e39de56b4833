"""What a feature tells the installation's broker: the rules that are published, their states and their alerts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy.orm import Session


@dataclass(frozen=True)
class RuleState:
    """A published rule: whether anything meets it now, and how many aircraft do."""

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
    """Read from the database by one worker of the installation."""

    def rules(self, session: Session) -> Sequence[RuleState]:
        """The enabled rules that are to be published."""

    def last_alert_id(self, session: Session) -> int:
        """The number of the newest alert, 0 where there is none."""

    def alerts_after(self, session: Session, alert_id: int, limit: int) -> Sequence[RuleAlert]:
        """Alerts of published rules with higher numbers, the oldest first."""

    def statistics(self, session: Session) -> dict[str, Any]:
        """Figures of the installation as JSON."""
