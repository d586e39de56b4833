"""``skywatch safety FILE...``: the safety events of recordings, one JSON object a line."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click
import msgspec

from skywatch.core.clock import unix_to_iso
from skywatch.core.terminal.command import fail, one_line_errors
from skywatch.core.terminal.progress import ProgressLine

if TYPE_CHECKING:
    from skywatch.picture.state.sky import Sky

_encode = msgspec.json.Encoder().encode


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option("--all", "with_suppressed", is_flag=True, help="Include suppressed events.")
@click.option("--table", "as_table", is_flag=True, help="Print a readable table.")
@click.option("--lat", type=click.FloatRange(-90, 90), help="Latitude of the receiver (degrees), for raw frames.")
@click.option("--lon", type=click.FloatRange(-180, 180), help="Longitude of the receiver (degrees).")
@one_line_errors
def safety(files: tuple[str, ...], with_suppressed: bool, as_table: bool, lat: float | None, lon: float | None) -> None:
    """Analyse recordings together and print each safety event as it ends, one JSON object a line.

    FILE contains JSON Lines (snapshots or single aircraft), SBS, Beast, AVR, exported tracks or a trace_full of readsb,
    gzip or not; a folder, such as a day of globe_history, stands for all traces in it, - for standard input. The clock
    is that of the recordings; seconds in which nothing can happen are passed over.

    On a terminal a bar shows how far the recordings are analysed. Exit code 1: FILE cannot be read or is not a
    recording.
    """
    from skywatch.receivers.recordings import RecordingError
    from skywatch.safety.playback import sources
    from skywatch.safety.playback.offline import event_answer, judge

    if (lat is None) != (lon is None):
        raise click.UsageError("--lat and --lon must be given together")
    station = (lat, lon) if lat is not None and lon is not None else None
    invalid: Counter[str] = Counter()
    share, printed = 0.0, 0

    def note_share(done: float) -> None:
        nonlocal share
        share = done

    with ProgressLine("-") as progress:

        def note_tick(sky: Sky) -> None:
            progress.show_share(share, f"{unix_to_iso(sky.now)}  {printed:,} events")

        try:
            moments = sources.read(files, station, invalid, note_share)
            for event in judge(moments, station, on_tick=note_tick):
                if event.raised or with_suppressed:
                    progress.clear()
                    _print(event_answer(event), as_table)
                    printed += 1
        except (RecordingError, OSError) as error:
            if isinstance(error, BrokenPipeError):
                raise
            progress.clear()
            fail(error)
    if invalid["trace"]:
        click.echo(f"{invalid['trace']} files are not traces and were left out", err=True)


def _print(fields: dict[str, Any], as_table: bool) -> None:
    if as_table:
        held_back = f"  [{', '.join(fields['suppressed_by'])}]" if fields["suppressed_by"] else ""
        at, kind = fields["began_at"][11:19], f"{fields['severity']:<8}  {fields['type']:<22}"
        click.echo(f"{at}  {kind}  {fields['message']}{held_back}")
    else:
        click.echo(_encode(fields).decode())
    sys.stdout.flush()
