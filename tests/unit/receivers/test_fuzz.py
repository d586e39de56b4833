"""Any bytes at all: nothing is raised, memory stays bounded, and the next good message is decoded.

8,000 mutations of real lines and documents for each form of input, 30,000 by night, from a fixed seed; and the inputs
on which other decoders fell over.
"""

from __future__ import annotations

import json
import random
import tarfile
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skywatch.receivers.formats import Decoder
from skywatch.receivers.formats.frames import ModeSDecoder
from skywatch.receivers.formats.json_lines import LinesDecoder
from skywatch.receivers.formats.sbs import SbsDecoder
from skywatch.receivers.framing.avr import AvrFramer
from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.reports.aircraft_json import DocumentError
from skywatch.receivers.reports.documents import DocumentReader
from skywatch.receivers.reports.json_columns import ColumnReader
from skywatch.receivers.reports.limits import ALTITUDE_FT, SQUAWKS
from skywatch.receivers.reports.report import Report

pytestmark = pytest.mark.deep("walks a corpus")

EACH_COUNT = pytest.mark.parametrize(
    "mutations", [8_000, pytest.param(30_000, marks=pytest.mark.nightly("more mutations from the same seed"))]
)
ARRIVED = 1_800_000_000.0
TOKENS = [
    b"null", b"NaN", b"-1e999", b"1e999", b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\ud800", b"\x00", b"\xff",
    b"\xf0\x9f", b"99999999999999999999", b"-0", b"true", b'"ground"', b"\r\n", b"\n", b"\x1a", b"\x1a\x1a", b"\x1a3",
    b"*", b";", b"MSG,", b"~", b"0x", b"inf", b"\xef\xbb\xbf", b"[" * 300, b'"hex":', b"9" * 400,
]  # fmt: skip


def mutate(source: bytes, chance: random.Random) -> bytes:
    """One to three small damages: a byte, a token, a cut, a doubling."""
    data = bytearray(source)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(6)
        if kind == 0 and at < len(data):
            data[at] = chance.randrange(256)
        elif kind == 1:
            data[at:at] = chance.choice(TOKENS)
        elif kind == 2:
            del data[at : at + chance.randrange(1, 12)]
        elif kind == 3:
            data[at : at + chance.randrange(1, 12)] = chance.choice(TOKENS)
        elif kind == 4:
            other = chance.randrange(len(data) + 1)
            data[at:at] = data[other : other + chance.randrange(1, 30)]
        else:
            del data[at:]
    return bytes(data)


def must_be_sound(report: Report) -> None:
    """What a consumer relies on, whatever came in."""
    assert report.hex == report.hex.lower()
    assert len(report.hex.removeprefix("~")) == 6
    int(report.hex.removeprefix("~"), 16)
    assert isinstance(report.lat, float) == isinstance(report.lon, float) == (report.position_at > 0)
    if isinstance(report.lat, float) and isinstance(report.lon, float):
        assert -90 <= report.lat <= 90
        assert -180 <= report.lon <= 180
    if isinstance(report.alt_baro, int):
        assert ALTITUDE_FT[0] <= report.alt_baro <= ALTITUDE_FT[1]
    elif isinstance(report.alt_baro, str):
        assert report.alt_baro == "ground"
    if isinstance(report.squawk, str):
        assert report.squawk in SQUAWKS
    if isinstance(report.flight, str):
        assert report.flight.strip() == report.flight != ""


def text_lines(path: Path, most: int) -> list[bytes]:
    return [line for line in path.read_bytes().splitlines(keepends=True) if line.strip()][:most]


def beast_messages(path: Path, most: int) -> list[bytes]:
    pieces = path.read_bytes().replace(b"\x1a\x1a", b"\x00ESC\x00").split(b"\x1a")[1 : most + 1]
    return [b"\x1a" + piece.replace(b"\x00ESC\x00", b"\x1a\x1a") for piece in pieces]


# form of input -> its decoder, real messages, and one good message with its address for the end.
GOOD_FRAME = "8D4840D6202CC371C32CE0576098"
GOOD_SBS = b"MSG,1,1,1,4840D6,1,2018/04/03,19:02:28.136,2018/04/03,19:02:28.436,KLM1023,,,,,,,,,,,\r\n"
STREAMS: dict[str, tuple[Callable[[Counter[str]], Decoder], Callable[[Path], list[bytes]], bytes]] = {
    "readsb-lines": (
        LinesDecoder,
        lambda data: text_lines(data / "raw/ulss7_readsb/json_port.jsonl", 300),
        b'\n{"hex":"4840d6","flight":"KLM1023 "}\n',
    ),
    "sbs": (SbsDecoder, lambda data: text_lines(data / "sbs/ulss7_61s.sbs", 2000), b"\n" + GOOD_SBS),
    "beast": (
        lambda invalid: ModeSDecoder(BeastFramer(), None, invalid),
        lambda data: beast_messages(data / "raw/ulss7_61s.beast", 3000),
        (b"\x1a\x33" + bytes(6) + b"\x80" + bytes.fromhex(GOOD_FRAME)) * 2 + b"\x1a\x31" + bytes(9),
    ),
    "avr": (
        lambda invalid: ModeSDecoder(AvrFramer(), None, invalid),
        lambda data: text_lines(data / "raw/ulss7_61s_mlat.avr", 3000),
        f"\n*{GOOD_FRAME};\n".encode(),
    ),
}


@EACH_COUNT
@pytest.mark.parametrize("form", list(STREAMS))
def test_mutated_streams(form: str, mutations: int, shared_data: Path) -> None:
    make, messages, good = STREAMS[form]
    sources, chance = messages(shared_data), random.Random(form)
    invalid: Counter[str] = Counter()
    decoder = make(invalid)
    decoded = done = 0
    while done < mutations:
        # Some at once and cut anywhere, as a socket gives them.
        count = chance.randrange(1, 80)
        stream = b"".join(mutate(chance.choice(sources), chance) for _ in range(count))
        done += count
        cut = chance.randrange(len(stream) + 1)
        for piece in (stream[:cut], stream[cut:]):
            heard = decoder.feed(piece, ARRIVED + done / 1000)
            decoded += len(heard.reports)
            for report in heard.reports:
                must_be_sound(report)
    assert decoded > mutations / 50
    assert sum(invalid.values()) > mutations / 300
    assert len(invalid) < 60
    # Two reads: the first ends whatever the last mutation left open.
    last = [*decoder.feed(good, ARRIVED + 200).reports, *decoder.feed(good, ARRIVED + 201).reports]
    assert "4840d6" in {report.hex for report in last}
    assert "KLM1023" in {report.flight for report in last}


def documents(shared_data: Path) -> Iterator[bytes]:
    """Small documents of every dialect, a few aircraft each."""
    for path in [*(shared_data / "readsb").glob("*.json"), *(shared_data / "adsbx_v2").glob("*.json")]:
        whole = json.loads(path.read_bytes())
        key = "aircraft" if "aircraft" in whole else "ac"
        for first in range(0, len(whole[key]), 3):
            yield json.dumps({"now": whole["now"], "messages": 7, key: whole[key][first : first + 3]}).encode()


@EACH_COUNT
def test_mutated_documents(mutations: int, shared_data: Path) -> None:
    sources, chance = list(documents(shared_data)), random.Random("documents")
    invalid: Counter[str] = Counter()
    decoded = refused = 0
    for _ in range(mutations):
        try:
            document = ColumnReader().read(mutate(chance.choice(sources), chance), invalid)
        except DocumentError:
            refused += 1
            continue
        reports, _, _ = document.finish(ARRIVED, 0.0)
        decoded += len(reports)
        for report in reports:
            must_be_sound(report)
    assert refused > mutations / 100
    assert decoded > mutations / 5
    assert sum(invalid.values()) > mutations / 100


def test_inputs_on_which_others_fell_over(shared_data: Path) -> None:
    seen = 0
    with tarfile.open(shared_data / "raw/adsb_tools_fuzz_corpus.tar.gz") as corpus:
        for member in corpus:
            file = corpus.extractfile(member) if member.isfile() else None
            if file is None:
                continue
            seen += 1
            data = file.read()
            for make, _, good in STREAMS.values():
                decoder = make(Counter())
                for report in decoder.feed(data, ARRIVED).reports:
                    must_be_sound(report)
                after = [*decoder.feed(good, ARRIVED + 1).reports, *decoder.feed(good, ARRIVED + 2).reports]
                assert "4840d6" in {report.hex for report in after}
            reader = DocumentReader(Counter())
            try:
                reader.read(data, ARRIVED)
            except DocumentError:
                pass
            assert reader.read(b'{"aircraft":[{"hex":"4840d6"}]}', ARRIVED + 1) is not None
    assert seen >= 242


@pytest.mark.parametrize("form", list(STREAMS))
def test_endless_rubbish_costs_no_memory(form: str) -> None:
    make, _, good = STREAMS[form]
    chance = random.Random(form)
    decoder = make(Counter())
    patterns = [
        chance.randbytes(1 << 16),
        b"\x1a" * (1 << 16),
        b"[" * (1 << 16),
        b"\x1a\x33" * (1 << 15),
        b"*8D" * 20_000,
    ]
    for pattern in patterns:
        decoder.feed(pattern, ARRIVED)
    tracemalloc.start()
    try:
        for _ in range(15):
            for pattern in patterns:
                decoder.feed(pattern, ARRIVED)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 3_000_000
    after = [*decoder.feed(good, ARRIVED + 1).reports, *decoder.feed(good, ARRIVED + 2).reports]
    assert "4840d6" in {report.hex for report in after}
