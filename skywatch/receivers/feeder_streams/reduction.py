"""``Reduction``: what the feeders of one process brought in a second."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from skywatch.receivers.feeder_streams.feeder import Clock, Connection, Lane
from skywatch.receivers.feeder_streams.heard_log import HeardLog
from skywatch.receivers.feeder_streams.reducer.columns import AGREED, AloneFrames, Heard, ReducedColumns
from skywatch.receivers.feeder_streams.reducer.reports import AGREED_RECEIVER, by_lane
from skywatch.receivers.feeder_streams.voices import SEVERAL, Voice
from skywatch.receivers.reports.report import Report

if TYPE_CHECKING:
    from skywatch.receivers.feeder_streams.shared_decoder.gatherer import Gatherer


class Delivered(NamedTuple):
    """Reports of a receiver and the messages that they stand for."""

    receiver: str
    voice: Voice
    reports: Sequence[Report]
    messages: int


class Link(msgspec.Struct, array_like=True):
    """The connection of a feeder; times are unix seconds, rates over the last ten seconds.

    ``counts`` are what it sent in this second, by the names of ``feeder_counts.NAMES``.
    """

    feeder_id: int
    receiver: str
    network: str
    address: str
    since: float
    last_frame_at: float | None
    silent_s: float
    clock: Clock | None
    messages_s: float
    positions_s: float
    bytes_s: float
    counts: dict[str, int]


class Reduction(NamedTuple):
    """Reports, the feeders of their lanes, who heard what, and the connections; ``at`` in unix seconds.

    ``delivered`` is what feeders decoded themselves. ``alone`` are the frames of reports that are one feeder's.
    """

    at: float
    reports: ReducedColumns
    lanes: dict[int, Lane]
    heard: Heard
    links: list[Link]
    delivered: list[Delivered]
    alone: AloneFrames

    def shifted(self, step: float) -> Reduction:
        """The same with all times moved by ``step`` seconds."""
        if not step:
            return self
        position_at = np.where(self.reports.position_at > 0, self.reports.position_at + step, 0.0)
        reports = dataclasses.replace(self.reports, at=self.reports.at + step, position_at=position_at)
        for delivered in self.delivered:
            for report in delivered.reports:
                report.at += step
                report.position_at += step if report.position_at else 0.0
        alone = dataclasses.replace(self.alone, time=self.alone.time + step)
        return self._replace(at=self.at + step, reports=reports, alone=alone)

    def deliveries(self) -> Iterator[Delivered]:
        """All reports by receiver: what independent feeders agree on first."""
        for lane, reports, messages in by_lane(self.reports):
            if lane == AGREED:
                yield Delivered(AGREED_RECEIVER, SEVERAL, reports, messages)
            else:
                yield Delivered(self.lanes[lane].receiver, self.lanes[lane].voice, reports, messages)
        yield from self.delivered


def reduce(
    gatherer: Gatherer,
    log: HeardLog,
    connections: Sequence[Connection],
    delivered: list[Delivered],
    at: float | None = None,
) -> Reduction:
    """Reduce what a gatherer has decoded, and take the counters of its connections; ``log`` is told who heard what.

    ``at`` is the present time (unix s), that of the computer unless given.
    """
    at = time.time() if at is None else at
    reports, heard, alone = gatherer.take()
    log.add(heard, {lane: of_lane.feeder_id for lane, of_lane in gatherer.lanes.items()}, at)
    aircraft = log.aircraft()
    links = []
    counts = gatherer.counts.of_all([connection.slot for connection in connections])
    for connection, own in zip(connections, counts, strict=True):
        grown = connection.count(own)
        connection.aircraft = aircraft.get(connection.feeder.id, 0)
        messages_s, positions_s, _, bytes_s = connection.rates()
        links.append(
            Link(
                connection.feeder.id,
                connection.feeder.receiver,
                connection.network,
                connection.address,
                connection.since,
                connection.last_frame_at,
                connection.silent_s(),
                connection.clock,
                messages_s,
                positions_s,
                bytes_s,
                grown,
            )
        )
    return Reduction(at, reports, dict(gatherer.lanes), heard, links, delivered, alone)
