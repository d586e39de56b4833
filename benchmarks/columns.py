"""What the columns form of the picture weighs, and what it costs: 15,000 aircraft, all of them changing.

``python -m benchmarks.columns [--aircraft N]``
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from benchmarks._traffic import Traffic
from skywatch.realtime.connections.frames import Encoder
from skywatch.realtime.protocols.native import PackedProtocol, encode_event
from skywatch.realtime.sky.aircraft import View
from skywatch.realtime.sky.areas import Area
from skywatch.realtime.sky.columns import DEFAULT_FIELDS, Form
from skywatch.realtime.sky.live import LiveTopics

TICKS = 5
AREAS = 50


class _Outbox:
    congested = False

    def __init__(self) -> None:
        self.bytes = 0
        self.last = b""

    def push(self, frame: bytes) -> None:
        self.bytes += len(frame)
        self.last = frame


class _Listener:
    def __init__(self, encode: Encoder) -> None:
        self.outbox = _Outbox()
        self.variant = (encode, False)


def run(aircraft: int, views: list[View], encode: Encoder = encode_event) -> tuple[float, float, bytes]:
    """Bytes a second of the first view, processor time of a tick (ms), and the last frame of the first view."""
    traffic, topics = Traffic(aircraft, time.time()), LiveTopics()
    listeners = [_Listener(encode) for _ in views]
    topics.tick([traffic()])
    for listener, view in zip(listeners, views, strict=True):
        topics.join(listener, view, None)  # type: ignore[arg-type]
        listener.outbox.bytes = 0
    skies = [traffic() for _ in range(TICKS)]
    for sky in skies:
        sky.columns["changed"] = np.ones(len(sky), dtype=bool)
    began = time.process_time()
    for sky in skies:
        topics.tick([sky])
    cost = (time.process_time() - began) / TICKS
    return listeners[0].outbox.bytes / TICKS, cost * 1000, listeners[0].outbox.last


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aircraft", type=int, default=15_000)
    count = parser.parse_args([] if arguments is None else arguments).aircraft
    columns, plain = Form(DEFAULT_FIELDS), View("aircraft", "all", False)
    whole = View("aircraft", "all", False, None, columns)
    areas = [View("aircraft", "all", False, Area(4 + 0.05 * at, 45, 9 + 0.05 * at, 50), columns) for at in range(AREAS)]
    thinned = View("aircraft", "all", False, None, Form(DEFAULT_FIELDS, 2000))
    size, cost, _ = run(count, [whole])
    packed, packed_cost, _ = run(count, [whole], PackedProtocol.encode_event)
    print(f"{count} aircraft: {size / 1000:.0f} kB a second as JSON, {packed / 1000:.0f} kB as MessagePack")
    shared = run(count, [whole] * AREAS)[1]
    print(f"  a tick for one subscriber {cost:.1f} ms, for {AREAS} of the same {shared:.1f} ms")
    print(f"  each further subscriber of the same {max(0.0, (shared - cost) / (AREAS - 1)) * 1000:.0f} us")
    shared = run(count, [whole] * AREAS, PackedProtocol.encode_event)[1]
    print(f"  as MessagePack for one {packed_cost:.1f} ms, for {AREAS} of the same {shared:.1f} ms")
    print(f"  a tick for {AREAS} different areas of about half {run(count, areas)[1]:.1f} ms")
    size, cost, _ = run(count, [thinned])
    print(f"  thinned to 2,000: {size / 1000:.0f} kB a second, {cost:.1f} ms")
    print(f"  whole aircraft (aircraft:update): {run(count, [plain])[1]:.1f} ms")
    packed = run(500, [whole], PackedProtocol.encode_event)[0]
    print(f"a city of 500: {run(500, [whole])[0] / 1000:.0f} kB a second, {packed / 1000:.0f} kB as MessagePack")


if __name__ == "__main__":
    main(sys.argv[1:])
