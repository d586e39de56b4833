"""``skywatch audio FILE...``: what is recognised of recordings, without storing anything."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from skywatch.audio.folders.names import read_name
from skywatch.audio.recordings.decoder import measure
from skywatch.audio.recordings.measurement import Measured
from skywatch.core.clock import to_iso
from skywatch.core.problems import Problem
from skywatch.core.terminal.command import fail, one_line_errors
from skywatch.core.text.escapes import escape_controls

BARS = " ▁▂▃▄▅▆▇█"
COLUMNS = 66


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@one_line_errors
def audio(files: tuple[Path, ...]) -> None:
    """Show name, time, channel, length, loudness and waveform of each FILE.

    Time, channel and frequency are read from rtl_airband's names (in UTC); of other files the time is that of the last
    change. Exit code 1: a FILE is no recording that would be accepted; the others are shown all the same.
    """
    refused = 0
    for file in files:
        try:
            lines = _lines(file, measure(file))
        except Problem as problem:
            refused += 1
            lines = [f"{escape_controls(str(file))}: {problem.detail}"]
        except OSError as error:
            refused += 1
            lines = [f"{escape_controls(str(file))}: {error.strerror}"]
        click.echo("\n".join(lines), err=len(lines) == 1)
    if refused:
        fail(f"{refused} of {len(files)} files would not be accepted")


def _lines(file: Path, measured: Measured) -> list[str]:
    name = read_name(file.name)
    at = name.at or datetime.fromtimestamp(file.stat().st_mtime, UTC)
    parts = [to_iso(at), name.channel]
    if name.frequency_hz is not None:
        parts.append(f"{name.frequency_hz / 1e6:.3f} MHz")
    levels = [measured.kind.media_type, f"{measured.duration_s:.2f} s"]
    if measured.peak_db is None:
        levels.append("silence")
    else:
        levels.append(f"peak {measured.peak_db:.1f} dBFS")
    if measured.loudness_lufs is not None:
        levels.append(f"loudness {measured.loudness_lufs:.1f} LUFS")
    if measured.is_truncated:
        levels.append("truncated")
    return [
        escape_controls(str(file)),
        "  " + ", ".join(escape_controls(text) for text in parts),
        "  " + ", ".join(levels),
        f"  |{drawn(measured.waveform)}|",
    ]


def drawn(waveform: bytes) -> str:
    """A waveform as one line; the loudest point reaches the top."""
    highest = max(waveform) or 1
    groups = (waveform[i * len(waveform) // COLUMNS : (i + 1) * len(waveform) // COLUMNS] for i in range(COLUMNS))
    return "".join(BARS[round(max(group) / highest * (len(BARS) - 1))] for group in groups)
