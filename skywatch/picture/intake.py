"""``FeederIntake``: puts what the feeders of all processes brought in a second into the picture."""

from __future__ import annotations

from collections import Counter, deque
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from skywatch.core.bus import Bus, Message, topics
from skywatch.core.telemetry import health
from skywatch.picture.picture import Picture
from skywatch.receivers.feeder_streams.installation import InstallationFeeders
from skywatch.receivers.feeder_streams.message_codec import encode_addresses
from skywatch.receivers.feeder_streams.new_addresses import TOO_MANY_AIRCRAFT
from skywatch.receivers.feeder_streams.reducer.columns import AGREED, OURS_AGREED
from skywatch.receivers.feeder_streams.reducer.reports import AGREED_RECEIVER, TRUSTED_RECEIVER, by_lane
from skywatch.receivers.feeder_streams.reduction import Reduction
from skywatch.receivers.feeder_streams.voices import OURS, SEVERAL

if TYPE_CHECKING:
    from skywatch.receivers.feeder_streams.agreement import MostVoices, ProcessAgreement

# What has been heard is announced so often (s).
ANNOUNCED_EVERY_S = 5.0
# Clocks that are set by NTP differ by less, and a bus is faster (s).
TOLERATED_S = 1.0
# So many messages that are all late by the same time, within this (s), were sent by a clock that is behind.
MESSAGES, STEADY_S = 5, 0.5


class FeederIntake:
    """Called on the tracker's loop. With a ``bus`` between processes feeders are connected to other processes."""

    def __init__(self, picture: Picture, reception: InstallationFeeders, bus: Bus | None = None) -> None:
        self._picture = picture
        self._reception = reception
        self._bus = None if bus is None or bus.carries_objects else bus
        self._announced_at = float("-inf")
        self._dropped: Counter[str] = Counter()
        self._clocks = ProcessClocks()
        # Of ours, and of strangers.
        self._agreements: dict[bool, ProcessAgreement] = {}
        self._most_voices: dict[bool, MostVoices] = {}

    def prepare(self) -> None:
        """Load ahead the code that seconds of other processes need: it takes a part of a second."""
        if self._bus is not None:
            import_module("skywatch.receivers.feeder_streams.agreement")

    def take(self, reduction: Reduction, process: str = "") -> None:
        """Take a second of a process (empty: this one)."""
        if process:
            now = self._picture.now()
            reduction = reduction.shifted(self._clocks.correction_s(process, reduction.at, now))
            if not self._agreements:
                # Without ingest processes no decoder is loaded.
                from skywatch.receivers.feeder_streams.agreement import MostVoices, ProcessAgreement

                station = self._picture.station
                self._agreements = {kind: ProcessAgreement(station, is_ours=kind) for kind in (True, False)}
                self._most_voices = {kind: MostVoices() for kind in (True, False)}
            reports = reduction.reports
            for kind, most_voices in self._most_voices.items():
                reports = most_voices.filter(process, reports, OURS_AGREED if kind else AGREED, now)
            reduction = reduction._replace(reports=reports)
            ours = [lane for lane, of_lane in reduction.lanes.items() if of_lane.voice.is_ours]
            is_ours = np.isin(reduction.alone.lane, ours)
            for kind, agreement in self._agreements.items():
                agreement.add(process, reduction.alone[is_ours == kind], reduction.lanes, now)
        for delivered in reduction.deliveries():
            self._picture.put(
                delivered.receiver, delivered.reports, delivered.messages, is_counted=False, voice=delivered.voice
            )
        for link in reduction.links:
            counts = link.counts
            self._picture.count(link.receiver, counts["messages"], counts["positions"], counts["duplicates"])
            # Processes of the release before do not count them.
            if counts.get(TOO_MANY_AIRCRAFT):
                self._dropped[link.receiver] += counts[TOO_MANY_AIRCRAFT]
        self._reception.take(process, reduction, self._picture.validator.refused_positions)
        self._announce_heard()
        dropped = self._dropped + self._picture.corroboration.dropped
        if dropped:
            health.report("feeder_aircraft", True, _described(dropped), dropped=dropped.total())

    def _announce_heard(self) -> None:
        """Tell those who accept feeders now and then which addresses somebody has heard: they limit the rest."""
        now = self._picture.now()
        if abs(now - self._announced_at) < ANNOUNCED_EVERY_S:
            return
        self._announced_at = now
        addresses = self._picture.corroboration.heard()
        if self._bus is None:
            self._reception.hear(addresses)
        else:
            self._bus.publish(Message(topics.HEARD_ADDRESSES, "heard", encode_addresses(addresses), snapshot=True))

    def put_agreed(self) -> None:
        """Put what feeders of different processes agree on; before each tick of the picture."""
        now = self._picture.now()
        for is_ours, agreement in self._agreements.items():
            receiver, voice = (TRUSTED_RECEIVER, OURS) if is_ours else (AGREED_RECEIVER, SEVERAL)
            agreed = self._most_voices[is_ours].filter("", agreement.agree(now), AGREED, now)
            for _, reports, messages in by_lane(agreed):
                self._picture.put(receiver, reports, messages, is_counted=False, voice=voice)


def _described(dropped: Counter[str]) -> str:
    """Who brought more new aircraft than a feeder may."""
    most = ", ".join(f"{receiver} ({count})" for receiver, count in dropped.most_common(3))
    return (
        f"dropped what was sent of aircraft that nobody else heard, beyond feeder_new_aircraft_minute: {most}"
        f"{' and others' if len(dropped) > 3 else ''}"
    )


class ProcessClocks:
    """Corrections by process.

    A message cannot come before it was sent, and messages that come one a second, each late by the same time, are not
    late: the clock that dated them is behind. What was queued and comes at once is late.
    """

    def __init__(self) -> None:
        self._late: dict[str, deque[float]] = {}

    def correction_s(self, process: str, sent_at: float, now: float) -> float:
        """What to add to the times of a message that its process sent at ``sent_at`` (unix s) and that came ``now``."""
        late = self._late.setdefault(process, deque(maxlen=MESSAGES))
        late.append(now - sent_at)
        if late[-1] < -TOLERATED_S:
            return late[-1]
        least, most = min(late), max(late)
        is_behind = len(late) == MESSAGES and least > TOLERATED_S and most - least <= STEADY_S
        return least if is_behind else 0.0
