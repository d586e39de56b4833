"""The altitudes of a geofence."""

from __future__ import annotations

from dataclasses import dataclass

LOWEST_FT, HIGHEST_FT = -2_000, 100_000


@dataclass(frozen=True)
class Band:
    """From ``floor_ft`` to ``ceiling_ft``, both included; None is open."""

    floor_ft: float | None = None
    ceiling_ft: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether every altitude lies in it, unknown ones included."""
        return self.floor_ft is None and self.ceiling_ft is None
