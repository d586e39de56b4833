"""Reading receivers: CPU time for one aircraft of an aircraft.json, one line, one frame, compared with plain parsers.

A document is read and every value of it checked; the peer is the standard library's JSON parser, which only parses.
The simulator is measured as well, because other benchmarks use it as their load.
"""

from __future__ import annotations

import json
import statistics
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

import msgspec

from skywatch.receivers.kinds.readsb_lines import LinesDecoder
from skywatch.receivers.kinds.sbs import SbsDecoder
from skywatch.receivers.reports.aircraft_json import read_document
from skywatch.receivers.reports.finishing import finish
from skywatch.receivers.simulator.traffic import Traffic

SIZES = (200, 1_000, 5_000, 15_000)
START = 1_750_000_000.0
ROUNDS = 9


def cpu_ms(work: Callable[[], object]) -> float:
    """Median CPU time of one call (ms)."""
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return statistics.median(times) * 1000


def document(aircraft: int) -> bytes:
    """An aircraft.json of simulated traffic."""
    traffic = Traffic(aircraft, (47.45, 8.56), START, radius_nm=400, seed=1)
    messages = traffic.step(START + 1)
    ours = ("at", "position_at", "snapshot")
    rows = [{k: v for k, v in msgspec.to_builtins(r).items() if k not in ours} for r in traffic.reports()]
    return msgspec.json.encode({"now": START + 1, "messages": messages, "aircraft": rows})


def read(body: bytes) -> None:
    """What a receiver of kind readsb does with a document."""
    invalid: Counter[str] = Counter()
    finish(read_document(body, invalid).aircraft, START + 1, START, invalid)


def main() -> None:
    """Print the figures."""
    print("aircraft.json, read and checked (CPU ms a document, us an aircraft); json.loads of the same bytes")
    for size in SIZES:
        body = document(size)
        one_bad = body.replace(b'"squawk":"', b'"squawk":"9', 1)
        ours = cpu_ms(partial(read, body))
        peer = cpu_ms(partial(json.loads, body))
        bad = cpu_ms(partial(read, one_bad))
        print(
            f"  {size:>6} aircraft, {len(body) / 1e6:4.1f} MB: {ours:6.1f} ms, {ours / size * 1000:4.2f} us; "
            f"json.loads {peer:6.1f} ms ({peer / ours:.1f} x ours); with one invalid field {bad:6.1f} ms"
        )
    rows = json.loads(document(5_000))["aircraft"]
    lines = b"".join(msgspec.json.encode({"now": START, **row}) + b"\n" for row in rows)
    ms = cpu_ms(lambda: LinesDecoder(Counter()).feed(lines, START))
    print(f"readsb-lines: {len(rows) / ms * 1000:,.0f} lines a second")
    sbs = b"".join(
        f"MSG,3,1,1,{row['hex'].upper()},1,2025/06/15,15:06:{n % 60:02d}.123,2025/06/15,15:06:{n % 60:02d}.123,,"
        f"{row['alt_baro']},,,{row['lat']},{row['lon']},,,0,,0,0\r\n".encode()
        for n, row in enumerate(rows)
        if "lat" in row and row["alt_baro"] != "ground"
    )
    ms = cpu_ms(lambda: SbsDecoder(Counter()).feed(sbs, START))
    print(f"sbs: {sbs.count(b'MSG') / ms * 1000:,.0f} lines a second")
    traffic = Traffic(15_000, (47.45, 8.56), START, radius_nm=400, seed=1)
    clock = iter(range(1, 1000))
    ms = cpu_ms(lambda: (traffic.step(START + next(clock)), traffic.reports()))
    print(f"simulate: 15,000 aircraft moved and reported in {ms:.0f} ms of CPU")


if __name__ == "__main__":
    main()
