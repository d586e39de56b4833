"""``StreamReceiver``: reads a TCP stream and reconnects; subclasses decode its bytes.

A lost peer is detected by TCP keep-alive and by an idle timeout: every program of these kinds sends at least a
heartbeat within two minutes.
"""

from __future__ import annotations

import asyncio
import math
import time
from abc import abstractmethod
from typing import NamedTuple

from skywatch.inputs.options import Options, Station, Words, join_address, parse_address
from skywatch.inputs.retrying_input import InputError
from skywatch.inputs.transports.tcp import open_stream
from skywatch.receivers.formats import Decoder
from skywatch.receivers.formats.frames import GATHER_S, ModeSDecoder
from skywatch.receivers.frame_tap import FrameTap
from skywatch.receivers.framing.avr import AvrFramer
from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.receiver import RetryingReceiver
from skywatch.receivers.site import ANYWHERE, Site, read_site
from skywatch.sentences import sentence

# readsb and dump1090 send a heartbeat every 60 s on every port; two may be missed.
IDLE_TIMEOUT_S = 130.0


class Source(NamedTuple):
    """Where a receiver connects to; ``is_mlat``: all that comes from there was computed by multilateration."""

    host: str
    port: int
    site: Site = ANYWHERE
    is_mlat: bool = False


class StreamReceiver(RetryingReceiver):
    """A receiver behind ``host:port``."""

    idle_timeout_s = IDLE_TIMEOUT_S
    # Time for which bytes are collected before they are decoded, if that is cheaper (s).
    gather_s = 0.0

    def __init__(self, name: str, source: Source) -> None:
        super().__init__(name, join_address(source.host, source.port), source.site)
        self._host, self._port = source.host, source.port

    @abstractmethod
    def decoder(self) -> Decoder:
        """A decoder for a new connection."""

    async def session(self) -> None:
        """Connect and read until the connection breaks."""
        async with open_stream(self._host, self._port, self.idle_timeout_s) as stream:
            self.set_connected()
            decoder = self.decoder()
            while received := await stream.read():
                self.deliver(*decoder.feed(received, time.time()))
                if self.gather_s:
                    await asyncio.sleep(self.gather_s)
            raise InputError(sentence("input.closed_by_other", "the connection was closed by the other side"))


class ModeSReceiver(StreamReceiver):
    """Frames from a TCP port; the subclass sets their format."""

    framer: type[BeastFramer] | type[AvrFramer]
    gather_s = GATHER_S
    decodes_frames = True

    def __init__(self, name: str, source: Source, tap: FrameTap | None = None) -> None:
        super().__init__(name, source)
        self._tap = tap
        self._is_mlat = source.is_mlat

    def decoder(self) -> ModeSDecoder:
        """A decoder for a new connection."""
        return ModeSDecoder(
            self.framer(),
            self.site.place,
            self.invalid,
            self.cpr,
            self._tap,
            is_mlat=self._is_mlat,
            range_nm=self.site.range_nm,
        )


def parse_source(words: Words, station: Station, *, default_nm: float = math.inf, may_be_mlat: bool = True) -> Source:
    """``HOST:PORT [mlat] [place=LAT,LON] [range_nm=NM]``; raises ValueError for people.

    ``default_nm`` is the range where none is named. Without ``may_be_mlat`` the lines themselves say what was computed.
    """
    if not words:
        raise ValueError(sentence("input.expected_host_port", "expected host:port"))
    host, port = parse_address(words[0])
    options = Options(words[1:])
    source = Source(host, port, read_site(options, station, default_nm), may_be_mlat and options.flag("mlat"))
    options.finish()
    return source
