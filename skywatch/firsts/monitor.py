"""The part in the tracker: looks up when each aircraft of the sky was seen before, in its own thread.

A tick leaves it the sky and nothing else. What it finds goes back into the picture (``LiveVisits``).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import civil_rows
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.firsts.keys import is_airframe
from skywatch.firsts.models import FLIGHTS_AT_ONCE, IDS_AT_ONCE, ONLY_ROW, FirstsState, Sighting
from skywatch.history.models import Flight
from skywatch.history.settings import HistorySettings
from skywatch.picture.counted import counted, counted_rows, counts_simulated
from skywatch.picture.state.sky import Sky
from skywatch.picture.state.visits import NEVER, SEEN_BEFORE_DAYS, LiveVisits
from skywatch.security.visibility import Visibility

COMPONENT = "firsts_visits"
# How often new aircraft are looked up, and all of them again: one may fly again while it stays in the picture (s).
LOOK_EVERY_S, AGAIN_EVERY_S = 5.0, 600.0
DAY_S = 86_400.0


class VisitsMonitor:
    """Follows the sky; ``find`` is called in its thread."""

    name = "firsts"

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._live = runtime.shared(LiveVisits)
        self._sky: Sky | None = None
        self._again_at = 0.0
        self._task = PeriodicTask(COMPONENT, LOOK_EVERY_S, self._look)

    def start(self) -> None:
        """Start the thread."""
        self._task.start()

    def on_tick(self, sky: Sky) -> None:
        """Leave the sky for the thread."""
        self._sky = sky

    def close(self) -> None:
        """Stop the thread."""
        self._task.close()

    def _look(self) -> None:
        if self._sky is not None:
            self.find(self._sky, time.monotonic())

    def find(self, sky: Sky, monotonic: float) -> None:
        """Look up the aircraft that nothing is known of yet, or all of them where that is due."""
        wanted = np.isnan(sky.column(SEEN_BEFORE_DAYS)) | (monotonic >= self._again_at)
        wanted &= _are_airframes(sky)
        if not wanted.any():
            return
        with self._runtime.sessions() as session:
            if not _has_counted(session):
                return
            wanted &= counted_rows(sky, simulated=counts_simulated(session))
            rows = np.flatnonzero(wanted).tolist()
            last = last_seen(session, [sky.hexes[row].upper() for row in rows])
        if monotonic >= self._again_at:
            self._again_at = monotonic + AGAIN_EVERY_S
        begins = sky.column("first_seen")
        self._live.change({sky.hexes[row]: _days(last.get(sky.hexes[row].upper()), float(begins[row])) for row in rows})


def _has_counted(session: Session) -> bool:
    """Whether what is stored has been counted, but for the newest: before, nobody was ever seen."""
    highest = session.scalar(sa.select(sa.func.max(Flight.id)))
    if highest is None:
        return True
    state = session.get(FirstsState, ONLY_ROW)
    # The zone is stored with the first days, which are counted once all flights are.
    return state is not None and state.zone != "" and highest - state.flight_id < FLIGHTS_AT_ONCE


def last_seen(session: Session, addresses: Sequence[str], *, military: bool = True) -> dict[str, datetime]:
    """The end of the last flight that has ended of each of these aircraft (upper case), ``military`` ones or not."""
    may_see = [] if military else [civil_rows(Sighting)]
    found: dict[str, datetime] = {}
    for begin in range(0, len(addresses), IDS_AT_ONCE):
        rows = sa.select(Sighting.key, Sighting.last_at).where(
            Sighting.kind == "airframe",
            Sighting.key.in_(addresses[begin : begin + IDS_AT_ONCE]),
            Sighting.last_at.is_not(None),
            counted(session, Sighting.simulated),
            *may_see,
        )
        for address, last_at in session.execute(rows):
            assert last_at is not None
            found[address] = max(found.get(address, last_at), last_at)
    return found


def _days(last_at: datetime | None, begin: float) -> float:
    return NEVER if last_at is None else max(begin - last_at.timestamp(), 0.0) / DAY_S


def complete(session: Session, sky: Sky, visibility: Visibility) -> None:
    """Fill the column of aircraft that somebody describes; military ones were never here for who may not see them."""
    addresses = [address.upper() for address in sky.hexes]
    last = last_seen(session, addresses, military=visibility.military)
    days = [_days(last.get(address), sky.now) for address in addresses]
    sky.columns[SEEN_BEFORE_DAYS][:] = np.where(_are_airframes(sky), days, np.nan)


def _are_airframes(sky: Sky) -> npt.NDArray[np.bool_]:
    """Which addresses are of an airframe (``keys``): of the others nobody knows whether they were seen before."""
    return np.array([is_airframe(address) for address in sky.hexes], "?")


def create(runtime: Runtime) -> VisitsMonitor | None:
    """The monitor of this feature; None where no flights are recorded."""
    return VisitsMonitor(runtime) if runtime.settings.of(HistorySettings).history_enabled else None
