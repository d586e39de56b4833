"""``skywatch acars FILE``: what is understood of a recording, one JSON object a message."""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import click
import msgspec

from skywatch.acars.decoding import decode
from skywatch.acars.decoding.labels import name_of
from skywatch.acars.envelopes import Burst, read
from skywatch.acars.messages.assembler import Assembler
from skywatch.acars.messages.draft import Draft
from skywatch.acars.resources.answers import decoded_answer
from skywatch.core.clock import to_datetime, to_iso
from skywatch.core.terminal.command import fail
from skywatch.core.text.escapes import escape_controls

_encode = msgspec.json.Encoder().encode
MAX_LINE = 1 << 20


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--table", "as_table", is_flag=True, help="Print a table for people.")
def acars(file: Path, as_table: bool) -> None:
    """Print the ACARS messages of FILE (- for standard input), one JSON object a line.

    FILE is the output of acarsdec, vdlm2dec, dumpvdl2, dumphfdl, JAERO or acars_router, gzip or not. Bursts that
    several stations received, repeats and parts of texts are put together as the service does. A summary with the
    share of messages that were decoded goes to standard error. Exit code 1: FILE cannot be read or contains no message.
    """
    invalid: Counter[str] = Counter()
    assembler = Assembler(is_live=False)
    drafts: dict[int, Draft] = {}
    try:
        for line in _lines(file):
            for content in read(line, invalid):
                if isinstance(content, Burst):
                    steps = assembler.add(content, content.at or 0.0)
                    drafts.update({id(step.draft): step.draft for step in steps if step.is_new})
    except (OSError, EOFError) as error:
        fail(f"{file}: {getattr(error, 'strerror', None) or error}")
    drafts.update({id(step.draft): step.draft for step in assembler.finish()})
    texts = decoded = 0
    for draft in drafts.values():
        fields = _fields(draft)
        texts += bool(fields["text"])
        decoded += bool(fields["text"] and fields["decoded"])
        click.echo(_row(fields) if as_table else _encode(fields).decode())
    share = f"{100 * decoded / texts:.0f} %" if texts else "-"
    counts = ", ".join(f"{count} {reason}" for reason, count in sorted(invalid.items()))
    click.echo(
        f"{len(drafts)} messages, {assembler.merged} received by more stations, {assembler.repeated} repeats, "
        f"{assembler.joined} further parts; {decoded} of {texts} texts decoded ({share})"
        + (f"; no messages: {counts}" if counts else ""),
        err=True,
    )
    if not drafts:
        fail(f"{file}: contains no ACARS message")


def _lines(file: Path) -> Iterator[bytes]:
    if str(file) == "-":
        yield from sys.stdin.buffer
        return
    with file.open("rb") as plain:
        is_packed = plain.read(2) == b"\x1f\x8b"
        plain.seek(0)
        stream = cast(BinaryIO, gzip.GzipFile(fileobj=plain)) if is_packed else plain
        while line := stream.readline(MAX_LINE):
            yield line


def _fields(draft: Draft) -> dict[str, Any]:
    snapshot = draft.snapshot()
    burst = snapshot.burst
    decoded = decode(burst.label, snapshot.text, burst.sublabel or "", snapshot.application)
    return {
        "at": to_iso(to_datetime(snapshot.at)),
        "source": burst.source,
        "station": burst.station,
        "frequency_mhz": burst.frequency_mhz,
        "icao_hex": burst.icao_hex,
        "registration": burst.registration,
        "flight": burst.flight,
        "label": burst.label,
        "label_name": name_of(burst.label),
        "direction": burst.direction,
        "message_number": burst.message_number,
        "text": snapshot.text,
        "incomplete": snapshot.is_incomplete,
        "decoded": decoded_answer(decoded) if decoded is not None else None,
        "position": msgspec.to_builtins(decoded.position) if decoded is not None and decoded.position else None,
        "stations": len(snapshot.receptions),
        "repeats": snapshot.repeats,
    }


def _row(fields: dict[str, Any]) -> str:
    title = fields["decoded"]["title"] if fields["decoded"] else " ".join(fields["text"].split())[:60]
    who = fields["registration"] or fields["icao_hex"] or "-"
    flight = fields["flight"] or "-"
    row = f"{fields['at'][11:19]}  {fields['source']:<8}  {who:<8}  {flight:<8}  {fields['label']:<2}  {title}"
    return escape_controls(row)
