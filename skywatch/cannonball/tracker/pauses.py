"""Alerts that are due, and the pauses between alerts of one kind."""

from __future__ import annotations

from dataclasses import dataclass

from skywatch.cannonball.settings import CannonballSettings
from skywatch.cannonball.vocabulary import AlertType, ThreatLevel


@dataclass(frozen=True, slots=True)
class Occasion:
    """An alert that is due; alerts of one type with different ``subject`` have separate pauses.

    ``in_doubt``: nobody vouches for its place. Such an alert does not delay one that is sure.
    """

    alert_type: AlertType
    priority: ThreatLevel
    title: str
    message: str
    subject: str = ""
    pattern_key: str | None = None
    in_doubt: bool = False


def longest_pause_s(settings: CannonballSettings) -> float:
    """The longest pause of any alert type (s): an older alert delays no other."""
    return max(_pause_s(alert_type, settings) for alert_type in AlertType)


class Pauses:
    """The time of the last alert of each kind for one aircraft and user, by type, subject and whether it was in doubt;
    it outlives the session."""

    def __init__(self, raised_at: dict[tuple[AlertType, str, bool], float] | None = None) -> None:
        self.raised_at = raised_at if raised_at is not None else {}

    def allow(self, occasion: Occasion, now: float, settings: CannonballSettings) -> bool:
        """Whether the pause is over; if so, a new one starts."""
        if not self.is_over(occasion.alert_type, occasion.subject, now, settings, occasion.in_doubt):
            return False
        self.raised_at[occasion.alert_type, occasion.subject, occasion.in_doubt] = now
        return True

    def is_over(
        self, alert_type: AlertType, subject: str, now: float, settings: CannonballSettings, in_doubt: bool = False
    ) -> bool:
        """Whether an alert of a kind may be raised again."""
        before = (self.raised_at.get((alert_type, subject, doubt)) for doubt in {False, in_doubt})
        pause_s = _pause_s(alert_type, settings)
        return all(raised_at is None or now - raised_at >= pause_s for raised_at in before)

    @property
    def latest(self) -> float:
        """Time of the last alert (unix s), 0 without one."""
        return max(self.raised_at.values(), default=0.0)


def _pause_s(alert_type: AlertType, settings: CannonballSettings) -> float:
    return float(getattr(settings, f"cannonball_cooldown_{alert_type.value}_s"))
