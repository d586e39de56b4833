"""``skywatch safety FILE``: the safety events of a recording, one JSON object a line."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from skywatch.core.terminal.command import fail

_encode = msgspec.json.Encoder().encode


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(allow_dash=True))
@click.option("--all", "with_suppressed", is_flag=True, help="Include suppressed events.")
@click.option("--table", "as_table", is_flag=True, help="Print a readable table.")
@click.option("--lat", type=click.FloatRange(-90, 90), help="Latitude of the receiver (degrees), for raw frames.")
@click.option("--lon", type=click.FloatRange(-180, 180), help="Longitude of the receiver (degrees).")
def safety(file: str, with_suppressed: bool, as_table: bool, lat: float | None, lon: float | None) -> None:
    """Analyse the recording FILE and print its safety events, one JSON object a line.

    FILE contains JSON Lines (snapshots or single aircraft), SBS, Beast, AVR or exported tracks, gzip or not. The
    clock is that of the recording.
    Exit code 1: FILE cannot be read or is not a recording.
    """
    from skywatch.receivers.recordings import RecordingError
    from skywatch.safety.recordings.offline import event_answer, judge

    if (lat is None) != (lon is None):
        raise click.UsageError("--lat and --lon must be given together")
    station = (lat, lon) if lat is not None and lon is not None else None
    try:
        for event in judge(file, station):
            if event.raised or with_suppressed:
                _print(event_answer(event), as_table)
    except (RecordingError, OSError) as error:
        fail(error)


def _print(fields: dict[str, Any], as_table: bool) -> None:
    if not as_table:
        click.echo(_encode(fields).decode())
        return
    held_back = f"  [{', '.join(fields['suppressed_by'])}]" if fields["suppressed_by"] else ""
    click.echo(
        f"{fields['began_at'][11:19]}  {fields['severity']:<8}  {fields['type']:<22}  {fields['message']}{held_back}"
    )
