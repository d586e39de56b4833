"""``sbs HOST:PORT [mlat]``: BaseStation lines, as port 30003 of readsb and dump1090 sends them.

A line is one message of one aircraft in 22 columns; columns at the end may be missing. Records other than ``MSG``
(and ``MLAT``, as mlat-client writes them) belong to BaseStation itself and are ignored.
"""

from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, datetime
from functools import lru_cache

from msgspec import UNSET

from skywatch.inputs.lines import LineSplitter
from skywatch.inputs.options import Station, Words
from skywatch.receivers.documents import ReportBatch
from skywatch.receivers.kinds.stream import Decoder, StreamReceiver, parse_source
from skywatch.receivers.reports.limits import (
    ALTITUDE_FT,
    ANGLE_DEG,
    RATE_FPM,
    SPEED_KT,
    SQUAWKS,
    clean_address,
    clean_callsign,
)
from skywatch.receivers.reports.report import Report
from skywatch.receivers.source_clock import SourceClock

MAX_LINE = 1024
COLUMNS = 22
OTHER_RECORDS = frozenset(("SEL", "ID", "AIR", "STA", "CLK"))
# 1 identification, 2 surface and 3 airborne position, 4 velocity come in extended squitters; 5 to 8 are replies.
SQUITTERS = frozenset("1234")
TYPES = frozenset("12345678")
# A flag is -1 where set, 0 where not. readsb's own MLAT output has the number of receivers in the first flag.
SET, NOT_SET = frozenset(("-1", "1")), frozenset(("", "0"))
MLAT_FIELDS = ["lat", "lon"]


class SbsLine:
    """Reads single lines; what is invalid in them is counted by field in ``invalid``."""

    def __init__(self, invalid: Counter[str], *, is_mlat: bool = False) -> None:
        self._invalid = invalid
        self._is_mlat = is_mlat

    def read(self, line: bytes) -> tuple[Report | None, float | None]:
        """A report without times, and the sender's time (unix seconds as if it were UTC); None for missing values."""
        columns = line.decode("latin-1").split(",")
        record, count = columns[0].lstrip("\ufeff\x00 "), len(columns)
        if record not in ("MSG", "MLAT"):
            if record not in OTHER_RECORDS:
                self._invalid["line"] += 1
            return None, None
        if count < 5 or columns[1] not in TYPES:
            self._invalid["line"] += 1
            return None, None
        address = clean_address(columns[4].strip())
        if not address:
            self._invalid["hex"] += 1
            return None, None
        if count < COLUMNS:
            columns += [""] * (COLUMNS - count)
        report = Report(address, messages=1)
        self._values(report, columns)
        self._flags(report, columns, self._is_mlat or record == "MLAT")
        return report, stamp(columns[6], columns[7])

    def _values(self, report: Report, columns: list[str]) -> None:
        callsign, altitude, speed, track, lat, lon, rate, squawk = columns[10:18]
        if callsign:
            cleaned = clean_callsign(callsign)
            if cleaned is None:
                self._invalid["flight"] += 1
            elif cleaned:
                report.flight = cleaned
        if altitude:
            geometric = altitude[-1] in "Hh"
            feet = self._number("altitude", altitude[:-1] if geometric else altitude, ALTITUDE_FT)
            if feet is not None:
                if geometric:
                    report.alt_geom = round(feet)
                else:
                    report.alt_baro = round(feet)
        if speed and (value := self._number("gs", speed, SPEED_KT)) is not None:
            report.gs = value
        if track and (value := self._number("track", track, ANGLE_DEG)) is not None:
            report.track = value
        if lat or lon:
            self._position(report, lat, lon)
        if rate and (value := self._number("baro_rate", rate, RATE_FPM)) is not None:
            report.baro_rate = round(value)
        if squawk:
            # Some senders write the code as a number, without its leading zeros.
            code = squawk.strip().zfill(4)
            if code in SQUAWKS:
                report.squawk = code
            else:
                self._invalid["squawk"] += 1

    def _position(self, report: Report, lat_text: str, lon_text: str) -> None:
        if not (lat_text and lon_text):
            self._invalid["position"] += 1
            return
        lat = self._number("lat", lat_text, (-90.0, 90.0))
        lon = self._number("lon", lon_text, (-180.0, 180.0))
        if lat is None or lon is None:
            return
        if lat or lon:
            report.lat, report.lon = lat, lon
        else:
            self._invalid["position"] += 1

    def _flags(self, report: Report, columns: list[str], mlat: bool) -> None:
        alert, emergency, spi, ground = (text.strip() for text in columns[18:22])
        if alert not in SET and alert not in NOT_SET and alert.isdecimal():
            mlat, alert, emergency = True, "", ""
        if mlat:
            report.type = "mlat"
            if report.lat is not UNSET:
                report.mlat = list(MLAT_FIELDS)
            if emergency not in SET and emergency not in NOT_SET:
                emergency = ""  # an error estimate
        else:
            report.type = "adsb_icao" if columns[1] in SQUITTERS else "mode_s"
        if alert:
            report.alert = int(self._flag("alert", alert))
        if self._flag("emergency", emergency):
            report.emergency = "general"
        if spi:
            report.spi = int(self._flag("spi", spi))
        if self._flag("ground", ground):
            report.alt_baro = "ground"

    def _flag(self, name: str, text: str) -> bool:
        if text in SET:
            return True
        if text not in NOT_SET:
            self._invalid[name] += 1
        return False

    def _number(self, name: str, text: str, bounds: tuple[float, float]) -> float | None:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if bounds[0] <= value <= bounds[1]:
            return value
        self._invalid[name] += 1
        return None


class SbsDecoder(Decoder):
    """Lines of one connection. Empty lines are keep-alives."""

    def __init__(self, invalid: Counter[str], *, is_mlat: bool = False) -> None:
        self._lines = LineSplitter(MAX_LINE, invalid)
        self._line = SbsLine(invalid, is_mlat=is_mlat)
        self._clock = SourceClock()

    def feed(self, received: bytes, received_at: float) -> ReportBatch:
        """The reports of the lines that these bytes complete."""
        reports: list[Report] = []
        positions = 0
        for line in self._lines.feed(received):
            line = line.strip()
            if not line:
                continue
            report, sent_at = self._line.read(line)
            if report is None:
                continue
            report.at = received_at if sent_at is None else self._clock.ours(sent_at, received_at)
            if report.lat is not UNSET:
                report.position_at = report.at
                positions += 1
            reports.append(report)
        return ReportBatch(reports, len(reports), positions)


class SbsReceiver(StreamReceiver):
    """BaseStation lines from a TCP port."""

    kind = "sbs"

    def __init__(self, name: str, host: str, port: int, *, is_mlat: bool = False) -> None:
        super().__init__(name, host, port)
        self._is_mlat = is_mlat

    def decoder(self) -> SbsDecoder:
        """A decoder for a new connection."""
        return SbsDecoder(self.invalid, is_mlat=self._is_mlat)


def create(name: str, words: Words, station: Station) -> SbsReceiver:
    """Create the receiver; raises ValueError if the address or an option is wrong."""
    host, port, is_mlat = parse_source(words)
    return SbsReceiver(name, host, port, is_mlat=is_mlat)


def stamp(date: str, clock: str) -> float | None:
    """``2018/04/03`` and ``19:02:28.136`` as unix seconds, as if they were UTC; None if they are not a time."""
    midnight = _midnight(date)
    if midnight is None:
        return None
    try:
        hours, minutes, seconds = int(clock[0:2]), int(clock[3:5]), float(clock[6:])
    except ValueError:
        return None
    if not (0 <= hours < 24 and 0 <= minutes < 60 and 0.0 <= seconds < 61.0):
        return None
    return midnight + hours * 3600 + minutes * 60 + seconds


@lru_cache(maxsize=8)
def _midnight(date: str) -> float | None:
    try:
        return datetime.strptime(date, "%Y/%m/%d").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
