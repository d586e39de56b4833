"""``skywatch decode``: what the Mode S frames of a recording say, one JSON object a line."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import click
import msgspec

from skywatch.core.clock import unix_to_iso
from skywatch.core.terminal.command import fail, one_line_errors
from skywatch.core.terminal.progress import ProgressLine
from skywatch.core.text.escapes import escape_controls
from skywatch.receivers.framing.clock import Counter
from skywatch.receivers.framing.recording import (
    FORMATS,
    Format,
    RecordingError,
    open_recording,
    position,
    read_recording,
)
from skywatch.receivers.mode_s.decoded import Decoded, Status
from skywatch.receivers.mode_s.decoder import Decoder
from skywatch.receivers.mode_s.message import Message

_ENCODER = msgspec.json.Encoder()
# What a message has as a report, and a line does not need.
_REPORT_ONLY = ("at", "position_at", "snapshot", "df", "hex")


HEAD = (
    f"{'Time':<12}  {'Address':<7}  {'Kind':<16}  {'Callsign':<8}  {'Squawk':<6}  {'Altitude':>9}  {'Speed':>6}  "
    f"{'Track':>5}  {'Climb':>12}  Position"
)
# Downlink formats (ICAO Annex 10, volume IV, 3.1.2.3.2).
_KINDS = {
    0: "short ACAS", 4: "altitude", 5: "identity", 11: "all-call", 16: "long ACAS", 17: "ADS-B", 18: "TIS-B, ADS-R",
    19: "military ADS-B", 20: "Comm-B altitude", 21: "Comm-B identity", 24: "Comm-D",
}  # fmt: skip


def row(line: Mapping[str, Any]) -> str:
    """One frame; of a refused one the reason and its bytes."""
    begin = f"{_time(line['time']):<12}  "
    kind = _KINDS.get(line["df"], f"format {line['df']}")
    if "error" in line:
        return f"{begin}{'':<7}  {kind:<16}  {line['error'].replace('_', ' ')}: {line['frame']}"
    altitude = "ground" if line.get("alt_baro") == "ground" else _number(line.get("alt_baro"), "ft")
    position = f"{line['lat']:.5f}, {line['lon']:.5f}" if "lat" in line and "lon" in line else ""
    text = (
        f"{begin}{line['hex']:<7}  {kind:<16}  {line.get('flight', '').strip():<8}  {line.get('squawk', ''):<6}  "
        f"{altitude:>9}  {_number(line.get('gs'), 'kt'):>6}  {_number(line.get('track'), '°', ''):>5}  "
        f"{_number(line.get('baro_rate', line.get('geom_rate')), 'ft/min'):>12}  {position}"
    )
    return escape_controls(text.rstrip())


def rows(lines: Iterable[Mapping[str, Any]]) -> bytes:
    """The lines of several frames, each with its end of line."""
    return "".join(f"{row(line)}\n" for line in lines).encode()


def _time(unix: float) -> str:
    """Of the day in UTC; where the recording has no times, since its beginning."""
    return unix_to_iso(unix)[11:23] if math.isfinite(unix) else "-"


def _number(value: Any, unit: str, space: str = " ") -> str:
    return f"{round(value):,}{space}{unit}" if isinstance(value, int | float) else ""


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(allow_dash=True))
@click.option("--format", "kind", type=click.Choice(FORMATS), help="The recording's format; guessed if not given.")
@click.option("--lat", type=click.FloatRange(-90, 90), help="Latitude of the station (deg).")
@click.option("--lon", type=click.FloatRange(-180, 180), help="Longitude of the station (deg).")
@click.option(
    "--max-range-nm",
    type=click.FloatRange(min=0, min_open=True),
    default=math.inf,
    help="Do not believe positions further than this from the station (default: no limit).",
)
@click.option("--start", type=float, default=0.0, help="Unix time of the first frame, where the format has no times.")
@click.option(
    "--counter",
    type=click.Choice(["12mhz", "gps"]),
    default="12mhz",
    show_default=True,
    help="What Beast and AVR counters count; gps: Radarcape's seconds and nanoseconds of the day.",
)
@click.option("--all", "everything", is_flag=True, help="Also print refused frames, with the reason as 'error'.")
@click.option("--table", "as_table", is_flag=True, help="Print a table for people.")
@click.option("--statistics", is_flag=True, help="Print counters to stderr at the end.")
@one_line_errors
def decode(
    file: str,
    kind: Format | None,
    lat: float | None,
    lon: float | None,
    max_range_nm: float,
    start: float,
    counter: Counter,
    everything: bool,
    as_table: bool,
    statistics: bool,
) -> None:
    """Print one JSON object a line for each good Mode S frame of FILE (Beast, AVR or CSV, gzip or not; - is stdin).

    CSV lines are: unix time, frame in hexadecimal. Field names and units are readsb's.
    """
    if (lat is None) != (lon is None):
        raise click.UsageError("--lat and --lon go together")
    station = None if lat is None or lon is None else (lat, lon)
    decoder = Decoder(station, max_range_nm)
    if sys.stdout is None:
        fail("there is no standard output to write to")
    output = sys.stdout.buffer
    try:
        with open_recording(file) as stream, ProgressLine(file) as progress:
            if as_table:
                output.write(f"{HEAD}\n".encode())
            for batch in read_recording(stream, kind, start, counter, file):
                decoded = decoder.decode(batch)
                progress.clear()
                output.write(_text(_all_lines(decoded) if everything else map(_line, decoded.messages()), as_table))
                progress.show(position(stream), f"{decoder.statistics.frames:,} frames")
        output.flush()
    except RecordingError as error:
        output.flush()
        fail(error)
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is still in the buffer would fail once more, with a traceback, when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
        fail(f"the output cannot be written: {error.strerror}")
    counts = decoder.statistics.as_dict()
    if statistics:
        click.echo(_ENCODER.encode(counts), err=True)
    if not counts["good"]:
        fail(f"{file}: none of its {counts['frames']} frames is a good Mode S frame")


def _text(lines: Iterable[dict[str, object]], as_table: bool) -> bytes:
    return rows(lines) if as_table else b"".join(_ENCODER.encode(line) + b"\n" for line in lines)


def _line(message: Message) -> dict[str, object]:
    carried = msgspec.to_builtins(message)
    line = {"time": round(message.at, 6), "df": message.df, "hex": message.hex}
    for name in _REPORT_ONLY:
        carried.pop(name, None)
    result: dict[str, object] = line | carried
    return result


def _all_lines(decoded: Decoded) -> Iterator[dict[str, object]]:
    messages = iter(decoded.messages())
    for row, status in enumerate(decoded.status.tolist()):
        if status == Status.GOOD:
            yield _line(next(messages))
        else:
            yield _refused(decoded, row, status)


def _refused(decoded: Decoded, row: int, status: int) -> dict[str, object]:
    frame = decoded.frames.frame(row)
    return {
        "time": round(float(decoded.time[row]), 6),
        "df": int(decoded.df[row]),
        "error": Status(status).name.lower(),
        "frame": frame.hex(),
    }
