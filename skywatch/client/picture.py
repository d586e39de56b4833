"""The list of aircraft as a client holds it: snapshots replace it, updates change it, none may be missing."""

from __future__ import annotations

from typing import Any


class OutOfStep(Exception):
    """An update does not follow what came before: the list must be started over."""


class AircraftList:
    """Aircraft by address. ``epoch`` and ``seq`` say which state of the picture this is."""

    def __init__(self) -> None:
        self.aircraft: dict[str, dict[str, Any]] = {}
        self.now = 0.0
        self.epoch: str | None = None
        self.seq: int | None = None

    def apply(self, event: str, epoch: str, seq: int, data: dict[str, Any]) -> None:
        """Apply ``aircraft:snapshot`` or ``aircraft:update``; raises OutOfStep where a seq was skipped."""
        if event == "aircraft:snapshot":
            self.aircraft = {aircraft["hex"]: aircraft for aircraft in data["aircraft"]}
        elif event == "aircraft:update":
            if epoch != self.epoch or data["since"] != self.seq:
                raise OutOfStep
            self.aircraft.update({aircraft["hex"]: aircraft for aircraft in data["aircraft"]})
            for address in data["removed"]:
                self.aircraft.pop(address, None)
        else:
            return
        self.now, self.epoch, self.seq = data["now"], epoch, seq
