"""What features provide to alerts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skywatch.core.hooks import Hook

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class GeofenceUse(Hook):
    """What of the feature refers to a geofence, which then cannot be deleted: ``reports(session, id)``, their names."""

    reports: Callable[[Session, int], Sequence[str]]
