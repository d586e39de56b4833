"""``FeederIntake``: puts what the feeders of all processes brought in a second into the picture."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import UNSET

from skywatch.core.reporting import health
from skywatch.picture.picture import Picture
from skywatch.picture.receiving.receiver_views import ReceiverViews
from skywatch.picture.reception.process_clocks import ProcessClocks
from skywatch.receivers.ingest.reception import FeederReception
from skywatch.receivers.ingest.reducing.reports import AGREED_RECEIVER, by_lane
from skywatch.receivers.ingest.reduction import Reduction
from skywatch.receivers.reports.report import Report

if TYPE_CHECKING:
    from skywatch.receivers.ingest.agreement import ProcessAgreement

# Registered feeders are called so in the picture, with their id behind a hyphen.
FEEDER = "feeder"


class FeederIntake:
    """Called on the tracker's loop."""

    def __init__(self, picture: Picture, reception: FeederReception) -> None:
        self._picture = picture
        self._reception = reception
        picture.views_of_feeder = self.views
        picture.feeders_that_hear = self.hearers
        picture.join_feeders = self._join
        self._clocks = ProcessClocks()
        self._agreement: ProcessAgreement | None = None

    def take(self, reduction: Reduction, process: str = "") -> None:
        """Take a second of a process (empty: this one)."""
        if process:
            now = self._picture.now()
            reduction = reduction.shifted(self._clocks.correction_s(process, reduction.at, now))
            if self._agreement is None:
                # Without ingest processes no decoder is loaded.
                from skywatch.receivers.ingest.agreement import ProcessAgreement

                self._agreement = ProcessAgreement(self._picture.station)
            self._agreement.add(process, reduction.alone, reduction.lanes, now)
        for delivered in reduction.deliveries():
            self._picture.put(
                delivered.receiver, delivered.reports, delivered.messages, is_counted=False, voice=delivered.voice
            )
        for link in reduction.links:
            counts = link.counts
            self._picture.count(link.receiver, counts["messages"], counts["positions"], counts["duplicates"])
        self._reception.take(process, reduction)
        dropped = self._picture.corroboration.dropped
        if dropped:
            health.report("feeder_aircraft", True, _described(dropped), dropped=dropped.total())

    def _join(self, now: float) -> None:
        """Put what feeders of different processes agree on."""
        if self._agreement is not None:
            for _, reports, messages in by_lane(self._agreement.agree(now)):
                self._picture.put(AGREED_RECEIVER, reports, messages, is_counted=False)

    def hearers(self, address: str) -> list[tuple[str, float | None, float]]:
        """The receivers, signals (dBFS) and times (unix s) of the feeders that heard an aircraft within a minute."""
        return [
            (f"{FEEDER}-{hearer.feeder_id}", hearer.rssi, hearer.last_at)
            for hearer in self._reception.hearers(address)
            if hearer.feeder_id > 0
        ]

    def views(self, receiver: str, own: ReceiverViews | None) -> ReceiverViews | None:
        """What a feeder heard within a minute; None for a receiver that is no feeder.

        ``own`` are the views of what it alone says; of the rest the position is what feeders agree on.
        """
        prefix, _, number = receiver.rpartition("-")
        if prefix != FEEDER or not number.isdecimal():
            return None
        agreed = self._picture.reports_of(AGREED_RECEIVER)
        views = ReceiverViews(receiver, own.index if own is not None else 0)
        for address, at, rssi in self._reception.heard_by(int(number)):
            view = agreed.get(address) or (own.views.get(address) if own is not None else None) or Report(address)
            views.views[address] = Report(
                address, at, view.position_at, type=view.type, lat=view.lat, lon=view.lon,
                rssi=UNSET if rssi != rssi else round(rssi, 1),
            )  # fmt: skip
        return views


def _described(dropped: Counter[str]) -> str:
    """Who brought more new aircraft than a feeder may."""
    most = ", ".join(f"{receiver} ({count})" for receiver, count in dropped.most_common(3))
    return (
        f"reports dropped of aircraft that nobody else heard, beyond feeder_new_aircraft_minute: {most}"
        f"{' and others' if len(dropped) > 3 else ''}"
    )
