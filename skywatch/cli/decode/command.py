"""``skywatch decode``: what the Mode S frames of a recording say, one JSON object a line."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Iterator

import click
import msgspec

from skywatch.cli.decode.table import HEAD, rows
from skywatch.core.terminal.command import fail, one_line_errors
from skywatch.core.terminal.progress import ProgressLine
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
