"""Feeders without sockets: bytes in, reductions out."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np

from skywatch.receivers.feeder_streams.connection import FeederConnection
from skywatch.receivers.feeder_streams.feeder import KnownFeeder
from skywatch.receivers.feeder_streams.hub import FeederHub
from skywatch.receivers.feeder_streams.reducer.reports import AGREED_RECEIVER, by_lane
from skywatch.receivers.feeder_streams.reduction import Reduction
from skywatch.receivers.feeder_streams.shared_decoder.gatherer import Gatherer
from skywatch.receivers.framing.frames import FrameBatch
from skywatch.receivers.mode_s.encoder import airborne_position, beast, identification, squitter

START = 1_790_000_000.0


class Feeders:
    """A gatherer and its feeders by number, each of an owner and a network of its own unless told otherwise."""

    def __init__(self, *numbers: int, trusted=(), owners=None, networks=None, station=None, places=None):
        self.hub = FeederHub(station=station)
        self.gatherer: Gatherer = self.hub.gatherer
        self.gatherer.add = lambda stream: self.gatherer._waiting.__setitem__(stream.slot, stream)
        self.at = START
        self.connections = {}
        for number in numbers:
            owner = (owners or {}).get(number, number)
            feeder = KnownFeeder(
                number, str(number), True, str(number), owner, number in trusted, place=(places or {}).get(number)
            )
            network = (networks or {}).get(number, f"10.0.0.{number}/32")
            connection = FeederConnection(feeder, ("10.0.0.1", 1), network, 100_000, Counter(), self.hub, lambda: None)
            self.hub._by_hash[feeder.uuid_hash] = feeder
            assert self.hub.claim(connection)
            self.connections[number] = connection

    def send(self, number: int, *frames: bytes, rssi: int = 128) -> None:
        """Frames of one feeder, as Beast without a counter."""
        self.connections[number].receive(b"".join(beast(frame, 0, rssi) for frame in frames))

    def flush(self, after_s: float = 0.05) -> None:
        self.at += after_s
        self.gatherer.flush(self.at)

    def reduce(self) -> Reduction:
        return self.hub.reduce()

    def reports(self) -> dict[str, dict[str, object]]:
        """The reports of a reduction by receiver and address; what sources say of one is put together."""
        reduction = self.reduce()
        reports = {}
        for lane, of_lane, _ in by_lane(reduction.reports):
            name = reduction.lanes[lane].receiver if lane else AGREED_RECEIVER
            reports[name] = {report.hex: report for report in of_lane}
        return reports


def position(address: int, lat: float, lon: float, odd: int, altitude_ft: int = 35_000) -> bytes:
    return squitter(address, airborne_position(lat, lon, odd, altitude_ft))


def callsign(address: int, text: str) -> bytes:
    return squitter(address, identification(text))


def pair(address: int, lat: float, lon: float, altitude_ft: int = 35_000) -> tuple[bytes, bytes]:
    return position(address, lat, lon, 0, altitude_ft), position(address, lat, lon, 1, altitude_ft)


def batch(*frames: bytes) -> FrameBatch:
    return FrameBatch.of_bytes(frames, np.full(len(frames), time.time()))
