"""Mutants of every kind of input: none raises, and each costs no more than itself and its neighbours.

Each mutant is a text of twenty real records of which one is damaged: bytes, a field, the type of a value or the order,
or which is cut off within one. What is read is compared with the records: lost may be the damaged one and the records
beside it, and of what is cut off all behind the cut. The seed is printed; ``--seed`` repeats a run.

    python -m tests.drills mutants [--count 100000] [--seconds 300] [--seed N] [--kind NAME ...]
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import logging
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skywatch.acars.decoder import DatagramDecoder, StreamDecoder
from skywatch.acars.envelopes import Burst
from skywatch.airframes.importers import opensky, tar1090
from skywatch.airframes.importers.airframe_row import Row
from skywatch.core.polygons.imports import usable_airspaces
from skywatch.core.polygons.openair import parse_openair
from skywatch.receivers.formats.frames import ModeSDecoder
from skywatch.receivers.formats.json_lines import LinesDecoder
from skywatch.receivers.formats.sbs import SbsDecoder
from skywatch.receivers.framing.avr import AvrFramer
from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.reports import traces
from skywatch.receivers.reports.aircraft_json import DocumentError
from skywatch.receivers.reports.documents import DocumentReader

DATA = Path(os.environ.get("SKYWATCH_TEST_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
RECORDS = 20
NOW = 1_800_000_000.0
# In place of a value: every type, and what is no JSON.
VALUES = [
    b"null",
    b"true",
    b"0",
    b"-1",
    b"1e999",
    b'""',
    b'"x"',
    b"[]",
    b"{}",
    b"NaN",
    b"",
    b"'1'",
    b"[1,2]",
    b'{"a":1}',
]
TOKENS = [b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\x00", b"\xff", b"\x01", b"\n", b";", b"\x1a", b"*", b" "]
# Mutants that are shown of those that lose too much.
MAX_SHOWN = 3


@dataclass
class Kind:
    """A kind of input: its records, what stands around them, and which of them are read (by number)."""

    records: list[bytes]
    read: Callable[[bytes], set[int]]
    head: bytes = b""
    between: bytes = b"\n"
    tail: bytes = b"\n"

    def text(self, records: Iterable[bytes]) -> bytes:
        """The input with these records."""
        return self.head + self.between.join(records) + self.tail


@dataclass
class Outcome:
    """What became of the mutants of a kind."""

    mutants: int = 0
    others: int = 0
    lost: int = 0
    damaged: int = 0
    damaged_read: int = 0
    faults: list[str] = field(default_factory=list)


def mutate(record: bytes, chance: random.Random) -> bytes:
    """One damage of a record: of bytes, of a field, of a type, or of the order."""
    data = bytearray(record)
    at = chance.randrange(len(data))
    match chance.randrange(8):
        case 0:
            data[at] = chance.randrange(256)
        case 1:
            data[at:at] = chance.choice(TOKENS)
        case 2:
            del data[at : at + chance.randrange(1, 12)]
        case 3:
            data[at] ^= 1 << chance.randrange(8)
        case 4:
            data[at:at] = data[at : at + chance.randrange(1, 30)]
        case 5:
            return _with_value(record, chance)
        case 6:
            return _in_another_order(record, chance)
        case _:
            return record[: at + 1]
    return bytes(data)


def _separator(record: bytes) -> bytes:
    return max((b",", b";", b"\n"), key=record.count)


def _with_value(record: bytes, chance: random.Random) -> bytes:
    """Another value, of another type, in place of one field."""
    separator = _separator(record)
    fields = record.split(separator)
    place = chance.randrange(len(fields))
    name, colon, value = fields[place].partition(b":")
    last = value[-1:] if place == len(fields) - 1 and value[-1:] in (b"}", b"]") else b""
    fields[place] = (name + colon if colon else b"") + chance.choice(VALUES) + last
    return separator.join(fields)


def _in_another_order(record: bytes, chance: random.Random) -> bytes:
    separator = _separator(record)
    fields = record.split(separator)
    chance.shuffle(fields)
    return separator.join(fields)


def attack(kind: Kind, count: int, seconds: float, chance: random.Random) -> Outcome:
    """Make and read mutants until there are so many, or the time is up."""
    outcome, deadline = Outcome(), time.monotonic() + seconds
    everything = kind.read(kind.text(kind.records))
    assert everything == set(range(len(kind.records))), f"without damage {sorted(everything)} are read"
    while outcome.mutants < count and (outcome.mutants % 64 or time.monotonic() < deadline):
        outcome.mutants += 1
        number = chance.randrange(len(kind.records))
        records = list(kind.records)
        is_cut = chance.random() < 0.1
        records[number] = mutate(records[number], chance)
        text = kind.text(records)
        if is_cut:
            start = len(kind.head) + sum(len(record) + len(kind.between) for record in kind.records[:number])
            text = kind.text(kind.records)[: start + chance.randrange(len(kind.records[number]))]
        allowed = set(range(number - 1, len(records))) if is_cut else {number - 1, number, number + 1}
        try:
            seen = kind.read(text)
        except Exception as error:
            outcome.faults.append(f"{type(error).__name__}: {error}: {records[number][:300]!r}")
            continue
        others = everything - allowed
        outcome.others += len(others)
        if lost := others - seen:
            outcome.lost += len(lost)
            outcome.faults.append(f"lost {sorted(lost)} by damage of {number}: {records[number][:300]!r}")
        outcome.damaged += 1
        outcome.damaged_read += number in seen
    return outcome


def json_documents() -> Kind:
    """aircraft.json, whole."""
    aircraft = json.loads((DATA / "readsb/readsb_newmexico_1.json").read_bytes())["aircraft"][:RECORDS]
    records = [_encoded({**one, "hex": _address(number)}) for number, one in enumerate(aircraft)]

    def read(data: bytes) -> set[int]:
        try:
            batch = DocumentReader(Counter()).read(data, NOW, 0.0)
        except DocumentError:
            return set()
        return _numbers(report.hex for report in batch.reports) if batch is not None else set()

    return Kind(records, read, b'{"now":1800000000.1,"messages":5,"aircraft":[', b",", b"]}")


def json_lines() -> Kind:
    """readsb's JSON port."""
    lines = (DATA / "raw/ulss7_readsb/json_port.jsonl").read_bytes().splitlines()[:RECORDS]
    records = [
        _encoded({**json.loads(line.strip(b", ")), "hex": _address(number)}) for number, line in enumerate(lines)
    ]
    return Kind(records, _fed(lambda: LinesDecoder(Counter())))


def sbs_lines() -> Kind:
    """BaseStation."""
    lines = (DATA / "sbs/ulss7_61s.sbs").read_bytes().splitlines()[:RECORDS]
    records = []
    for number, line in enumerate(lines):
        columns = line.split(b",")
        columns[4] = _address(number).upper().encode()
        records.append(b",".join(columns))
    return Kind(records, _fed(lambda: SbsDecoder(Counter())))


def avr_frames() -> Kind:
    """Frames as hexadecimal."""
    lines = list(dict.fromkeys((DATA / "raw/toulouse_24s.avr").read_bytes().split()))
    records = [line for line in lines if line.endswith(b";") and len(line) > 16][:RECORDS]
    return Kind(records, _framed(AvrFramer, [bytes.fromhex(_digits(record)) for record in records]))


def beast_frames() -> Kind:
    """Frames with escapes."""
    pieces = (DATA / "raw/ulss7_61s.beast").read_bytes().replace(b"\x1a\x1a", b"\x00ESC\x00").split(b"\x1a")
    whole = [b"\x1a" + piece.replace(b"\x00ESC\x00", b"\x1a\x1a") for piece in pieces if piece[:1] == b"3"]
    by_content = {piece[9:].replace(b"\x1a\x1a", b"\x1a"): piece for piece in whole if b"\x1a\x1a" not in piece}
    records = list(by_content.values())[:RECORDS]
    # What stands at the end of the stream is complete with the next message.
    return Kind(records, _framed(BeastFramer, list(by_content)[:RECORDS]), between=b"", tail=b"\x1a1" + bytes(9))


def acars(name: str, decoder: Any) -> Kind:
    """The envelopes of one program, as datagrams or lines."""
    records = []
    for line in (DATA / "acars" / name).read_bytes().splitlines():
        envelope = json.loads(line)
        message = _message_in(envelope)
        if message is not None:
            message["msg_text" if "msg_text" in message else "text"] = f"MUTANT {len(records):03}"
            message["label"] = "5Z"
            records.append(_encoded(envelope))
        if len(records) == RECORDS:
            break

    def read(data: bytes) -> set[int]:
        read_by = decoder(Counter())
        items = []
        for part in data.split(b"\n") if decoder is DatagramDecoder else (data,):
            items += read_by.feed(part, NOW)
        items += read_by.feed(b"\n{}\n", NOW)
        texts = [item.text for item in items if isinstance(item, Burst)]
        return {int(text[-3:]) for text in texts if text.startswith("MUTANT ") and text[-3:].isdigit()}

    return Kind(records, read)


def openair() -> Kind:
    """Airspaces: mostly corners, a few circles and arcs, whose geometry takes longer."""
    records = []
    for number in range(RECORDS):
        south, north = f"47:{number + 10}:00 N", f"47:{number + 10}:30 N"
        shape = f"DP {south} 008:00:00 E\nDP {north} 008:00:00 E\nDP {south} 008:30:00 E"
        if number == 7:
            shape = f"V X={south} 008:33:20 E\nDC 2"
        elif number == 13:
            shape = f"V D=+\nV X={south} 008:10:00 E\nDA 4,0,90\nDP {south} 008:00:00 E"
        head = f"AC {'CTR' if number % 2 else 'R'}\nAN SPACE {number:03}\nAL {'GND' if number % 3 else '1000 MSL'}"
        records.append(f"{head}\nAH FL{65 + number}\n{shape}".encode())

    def read(data: bytes) -> set[int]:
        entries, _ = usable_airspaces(parse_openair(data.decode("utf-8", "replace")))
        return {
            int(name[-3:]) for entry in entries if (name := entry["name"]).startswith("SPACE ") and name[-3:].isdigit()
        }

    return Kind(records, read)


def tar1090_list() -> Kind:
    """tar1090-db's list of airframes."""
    with gzip.open(DATA / "aircraft_db/aircraft.csv.gz") as file:
        lines = [next(file).rstrip(b"\r\n") for _ in range(RECORDS)]
    records = [_address(number).upper().encode() + line[6:] for number, line in enumerate(lines)]
    return Kind(records, lambda data: _airframes(tar1090.rows(_text_lines(data))))


def quoted_list() -> Kind:
    """A list whose fields are quoted, OpenSky's."""
    head = b'"icao24","registration","manufacturername","model","typecode","owner","operator","built"\n'
    records = [
        f'"{_address(number)}","HB-{number:03}","Airbus","A320, 214","A320","Owner ""A""","Swiss","1998"'.encode()
        for number in range(RECORDS)
    ]
    return Kind(records, lambda data: _airframes(opensky.rows(_text_lines(data))), head)


def trace_files() -> Kind:
    """A trace of readsb, its entries as records."""
    path = sorted((DATA / "readsb/traces").rglob("*.json"))[0]
    content = path.read_bytes()
    whole = json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    # Their altitudes tell entries apart.
    records = [
        _encoded([entry[0], *entry[1:3], 10_000 + 25 * n, *entry[4:]])
        for n, entry in enumerate(whole["trace"][:RECORDS])
    ]
    head = _encoded({"icao": whole["icao"], "timestamp": whole["timestamp"]})[:-1] + b',"trace":['

    def read(data: bytes) -> set[int]:
        try:
            trace = traces.read_stream(io.BytesIO(data), "mutant")
        except traces.TraceError:
            return set()
        heights = [report.alt_baro for report in traces.reports(trace, Counter())]
        heights += [report.alt_geom for report in traces.reports(trace, Counter())]
        return {(height - 10_000) // 25 for height in heights if isinstance(height, int) and height % 25 == 0} & set(
            range(RECORDS)
        )

    return Kind(records, read, head, b",", b"]}")


KINDS: dict[str, Callable[[], Kind]] = {
    "documents": json_documents,
    "lines": json_lines,
    "sbs": sbs_lines,
    "avr": avr_frames,
    "beast": beast_frames,
    "acarsdec": lambda: acars("acarsdec_kabq.jsonl", StreamDecoder),
    "dumpvdl2": lambda: acars("dumpvdl2_kabq.jsonl", DatagramDecoder),
    "dumphfdl": lambda: acars("dumphfdl_kabq.jsonl", StreamDecoder),
    "openair": openair,
    "tar1090-list": tar1090_list,
    "quoted-list": quoted_list,
    "traces": trace_files,
}


def _encoded(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _address(number: int) -> str:
    return f"4b1{number:03x}"


def _numbers(addresses: Iterable[str]) -> set[int]:
    return {int(address[3:], 16) for address in addresses if address.startswith("4b1")}


def _fed(make: Callable[[], Any]) -> Callable[[bytes], set[int]]:
    return lambda data: _numbers(report.hex for report in make().feed(data + b"\n", NOW).reports)


def _framed(framer: Any, contents: list[bytes]) -> Callable[[bytes], set[int]]:
    numbers = {content: number for number, content in enumerate(contents)}

    def read(data: bytes) -> set[int]:
        ModeSDecoder(framer(), None, Counter()).feed(data, NOW)
        frames = framer().feed(data)
        return {numbers[frame] for row in range(len(frames)) if (frame := frames.frame(row)) in numbers}

    return read


def _digits(line: bytes) -> str:
    text = line.decode().strip("*;")
    return text[12:] if text[:1] == "@" else text


def _message_in(value: Any) -> dict[str, Any] | None:
    if isinstance(value, dict):
        if isinstance(value.get("label"), str) and ("text" in value or "msg_text" in value):
            return value
        return next((found for child in value.values() if (found := _message_in(child)) is not None), None)
    return None


def _text_lines(data: bytes) -> Iterable[str]:
    return io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", "surrogateescape", newline="")


def _airframes(rows: Iterable[Any]) -> set[int]:
    return _numbers(row.icao_hex.lower() for row in rows if isinstance(row, Row))


def main(arguments: list[str]) -> int:
    """Attack each kind; 1 where a mutant raised or cost more than its neighbours."""
    parser = argparse.ArgumentParser(prog="mutants", description="mutants of every kind of input")
    parser.add_argument("--count", type=int, default=100_000, help="mutants of each kind")
    parser.add_argument("--seconds", type=float, default=300.0, help="longest time for a kind")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--kind", nargs="*", choices=list(KINDS), default=list(KINDS))
    options = parser.parse_args(arguments)
    logging.disable()
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    is_good = True
    for name in options.kind:
        began = time.monotonic()
        outcome = attack(KINDS[name](), options.count, options.seconds, random.Random(f"{seed} {name}"))
        kept, of_damaged = 1 - outcome.lost / max(outcome.others, 1), outcome.damaged_read / max(outcome.damaged, 1)
        took = time.monotonic() - began
        print(
            f"{name:14} {outcome.mutants:7,} mutants in {took:4.0f} s: {kept:.6%} of the other records kept, "
            f"{of_damaged:.1%} of the damaged ones read, {len(outcome.faults)} faults",
            flush=True,
        )
        for fault in outcome.faults[:MAX_SHOWN]:
            print(f"    {fault}", flush=True)
        is_good &= not outcome.faults
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
