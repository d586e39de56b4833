"""An alert that is due, and the pause that follows one of its kind."""

from __future__ import annotations

from dataclasses import dataclass

from skywatch.cannonball.settings import CannonballSettings
from skywatch.cannonball.vocabulary import AlertType, ThreatLevel


@dataclass(frozen=True, slots=True)
class Occasion:
    """An alert that is due; ``subject`` tells alerts of one kind apart that pause on their own."""

    alert_type: AlertType
    priority: ThreatLevel
    title: str
    message: str
    subject: str = ""
    pattern_key: str | None = None


class Pauses:
    """When each kind of alert was last given for one aircraft and user; it outlives the session."""

    def __init__(self, given: dict[tuple[AlertType, str], float] | None = None) -> None:
        self.given = given if given is not None else {}

    def allow(self, occasion: Occasion, now: float, settings: CannonballSettings) -> bool:
        """Whether the pause is over; if so, a new one begins."""
        kind = (occasion.alert_type, occasion.subject)
        pause_s = float(getattr(settings, f"cannonball_cooldown_{occasion.alert_type.value}_s"))
        if now - self.given.get(kind, -pause_s) < pause_s and kind in self.given:
            return False
        self.given[kind] = now
        return True

    @property
    def latest(self) -> float:
        """When the last alert was given (unix s), 0 without one."""
        return max(self.given.values(), default=0.0)
