"""What is not known yet after a start: locations that were lost with a process, and aircraft not received again."""

from __future__ import annotations

import numpy as np

from skywatch.picture.state.sky import Sky


class Unknowns:
    """Users whose location may come again, and aircraft that the picture may show later."""

    def __init__(self) -> None:
        self._awaited: dict[int, float] = {}

    def await_location(self, user_id: int, until: float) -> None:
        """The location of a user is unknown until they report or end it, or until this time (unix s)."""
        self._awaited[user_id] = until

    def update(self, updated: set[int], now: float) -> None:
        """Update with the users who reported or ended their location."""
        if self._awaited:
            self._awaited = {
                user: until for user, until in self._awaited.items() if user not in updated and until > now
            }

    def user(self, user_id: int) -> bool:
        """Whether the location of a user is unknown."""
        return user_id in self._awaited

    def position(self, address: str, sky: Sky) -> bool:
        """Whether it is unknown where an aircraft is, or whether it is there at all."""
        if sky.is_complete:
            return False
        row = sky.index.get(address)
        return row is None or bool(np.isnan(sky.column("lat")[row]))
