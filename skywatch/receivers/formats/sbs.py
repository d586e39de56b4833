"""BaseStation lines, as port 30003 of readsb and dump1090 sends them.

A line is one message of one aircraft in 22 columns; columns at the end may be missing. Records other than ``MSG``
(and ``MLAT``, as mlat-client writes them) belong to BaseStation itself and are ignored.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from functools import lru_cache

from msgspec import UNSET

from skywatch.inputs.lines import LineSplitter
from skywatch.receivers.formats import Decoder
from skywatch.receivers.reports.documents import ReportBatch
from skywatch.receivers.reports.limits import FIELDS, clean_address, parse
from skywatch.receivers.reports.report import EMERGENCY_OF_SQUAWK, UNKNOWN_EMERGENCY, Report
from skywatch.receivers.reports.source_clock import SourceClock

MAX_LINE = 1024
COLUMNS = 22
OTHER_RECORDS = frozenset(("SEL", "ID", "AIR", "STA", "CLK"))
# 1 identification, 2 surface and 3 airborne position, 4 velocity come in extended squitters; 5 to 8 are replies.
SQUITTERS = frozenset("1234")
TYPES = frozenset("12345678")
# A flag is -1 where set, 0 where not. readsb's own MLAT output has the number of receivers in the first flag.
SET, NOT_SET = frozenset(("-1", "1")), frozenset(("", "0"))
# Aircraft whose last reply said so; of more it counts no longer.
MAX_ON_GROUND = 20_000
MLAT_FIELDS = ["lat", "lon"]
# What may stand before the first record: a byte order mark, read as Latin-1.
BEFORE = "\xef\xbb\xbf\x00 "
# By column, what BaseStation writes as a field's text.
COLUMN_OF = {10: "flight", 12: "gs", 13: "track", 16: "baro_rate", 17: "squawk"}


class SbsLine:
    """Reads single lines; what is invalid in them is counted by field in ``invalid``."""

    def __init__(self, invalid: Counter[str], *, is_mlat: bool = False) -> None:
        self._invalid = invalid
        self._is_mlat = is_mlat
        self._replied_on_ground: set[str] = set()

    def read(self, line: bytes) -> tuple[Report | None, float | None]:
        """A report without times, and the sender's time (unix seconds as if it were UTC); None for missing values."""
        columns = line.decode("latin-1").split(",")
        record, count = columns[0].lstrip(BEFORE), len(columns)
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
        for column, name in COLUMN_OF.items():
            if text := columns[column]:
                self._set(report, name, text)
        altitude, lat, lon = columns[11], columns[14], columns[15]
        if altitude:
            if altitude[-1] in "Hh":
                self._set(report, "alt_geom", altitude[:-1] or "H", "altitude")
            else:
                self._set(report, "alt_baro", altitude, "altitude")
        if lat or lon:
            self._position(report, lat, lon)

    def _set(self, report: Report, name: str, text: str, reason: str = "") -> None:
        """Set a field to a column; an invalid one is counted by ``reason``."""
        value = FIELDS[name].parse(text)
        if value is UNSET:
            self._invalid[reason or name] += parse(name, text) is UNSET
        elif value is not None:
            setattr(report, name, value)

    def _position(self, report: Report, lat_text: str, lon_text: str) -> None:
        lat, lon = parse("lat", lat_text), parse("lon", lon_text)
        if lat is UNSET or lon is UNSET:
            self._invalid["lat" if lat is UNSET else "lon"] += 1
        elif lat is None or lon is None or not (lat or lon):
            self._invalid["position"] += 1
        else:
            report.lat, report.lon = lat, lon

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
        if alert and (is_set := self._flag("alert", alert)) is not None:
            report.alert = int(is_set)
        if emergency and (is_set := self._flag("emergency", emergency)) is not None:
            # The flag does not say which emergency it is: the squawk does.
            of_squawk = EMERGENCY_OF_SQUAWK.get(str(report.squawk), UNKNOWN_EMERGENCY)
            report.emergency = of_squawk if is_set else "none"
        if spi and (is_set := self._flag("spi", spi)) is not None:
            report.spi = int(is_set)
        if self._is_on_ground(report.hex, columns[1], self._flag("ground", ground)):
            report.alt_baro = "ground"

    def _is_on_ground(self, address: str, kind: str, is_set: bool | None) -> bool:
        """Whether a line puts an aircraft on the ground: a reply is not protected against noise, only the second one in
        succession that says so counts. ``is_set`` is None where the line cannot be read."""
        if kind in SQUITTERS or is_set is None:
            return bool(is_set)
        is_repeated = is_set and address in self._replied_on_ground
        if not is_set:
            self._replied_on_ground.discard(address)
        elif len(self._replied_on_ground) < MAX_ON_GROUND:
            self._replied_on_ground.add(address)
        return is_repeated

    def _flag(self, name: str, text: str) -> bool | None:
        """Whether a flag is set; None, and counted, where it is none."""
        if text in SET:
            return True
        if text in NOT_SET:
            return False
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
