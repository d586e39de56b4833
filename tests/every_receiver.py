"""A source for every kind of receiver, with aircraft of its own, that speaks until the test silences it."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from skywatch.receivers.mode_s import encoder
from tests.ports import free_port

EVERY_S = 0.3
# Within one receiver's reach, so that every frame is believed.
LAT, LON = 47.3, 8.4
# Of readsb's fields one of each type, and those whose values are lists and objects.
READSB = {
    "type": "adsb_icao",
    "flight": "SWR12   ",
    "r": "HB-JCA",
    "t": "BCS3",
    "desc": "AIRBUS A-220-300",
    "ownOp": "SWISS",
    "year": "2017",
    "dbFlags": 0,
    "alt_baro": 12_000,
    "alt_geom": 12_250,
    "gs": 301.5,
    "mach": 0.62,
    "track": 12.5,
    "baro_rate": -64,
    "squawk": "1000",
    "emergency": "none",
    "category": "A3",
    "nav_modes": ["autopilot", "vnav"],
    "lat": LAT,
    "lon": LON,
    "nic": 8,
    "sil_type": "perhour",
    "alert": 0,
    "mlat": [],
    "tisb": [],
    "messages": 1234,
    "rssi": -12.3,
    "seen": 0.2,
    "seen_pos": 0.4,
    "acas_ra": {"advisory": "Climb", "version": 2},
}
MUTABILITY = {
    "flight": "EZY34",
    "altitude": 9_000,
    "speed": 250,
    "vert_rate": 64,
    "track": 90,
    "nucp": 7,
    "squawk": "2000",
    "lat": LAT,
    "lon": LON,
    "messages": 77,
    "rssi": -20.1,
    "seen": 0.1,
    "seen_pos": 0.1,
}


def readsb_document(address: str) -> bytes:
    """aircraft.json with one aircraft that has fields of every type."""
    return json.dumps({"now": time.time(), "messages": 5, "aircraft": [{"hex": address, **READSB}]}).encode()


def mutability_document(address: str) -> bytes:
    """aircraft.json as dump1090-mutability writes it."""
    return json.dumps({"now": time.time(), "messages": 5, "aircraft": [{"hex": address, **MUTABILITY}]}).encode()


def v2_document(address: str) -> bytes:
    """The answer of a v2 interface."""
    return json.dumps({"now": time.time() * 1000, "ac": [{"hex": address, **READSB}], "total": 1}).encode()


def line(address: str) -> bytes:
    """readsb's JSON line of one aircraft."""
    return json.dumps({"now": time.time(), "hex": address, **READSB}).encode() + b"\n"


def frames(address: str) -> list[bytes]:
    """A callsign, a position, a velocity and a squawk of an aircraft that hovers."""
    number = int(address, 16)
    return [
        encoder.squitter(number, encoder.identification("SWR99")),
        encoder.squitter(number, encoder.airborne_position(LAT, LON, 0, 11_000)),
        encoder.squitter(number, encoder.airborne_position(LAT, LON, 1, 11_000)),
        encoder.squitter(number, encoder.velocity(0, 0, 64, 125)),
        # The squawk 4000.
        encoder.reply(5, number, 0x0080),
    ]


def beast(address: str) -> bytes:
    """The frames as Beast, stamped with a 12 MHz counter."""
    ticks = int(time.monotonic() * 12e6)
    return b"".join(encoder.beast(frame, ticks + n * 12_000) for n, frame in enumerate(frames(address)))


def avr(address: str) -> bytes:
    """The frames as AVR text."""
    return b"".join(b"*" + frame.hex().encode() + b";\n" for frame in frames(address))


def sbs(address: str) -> bytes:
    """Lines of BaseStation: a callsign, a position, a velocity and a squawk."""
    now = datetime.now(UTC)
    stamp = f"{now:%Y/%m/%d},{now:%H:%M:%S}.{now.microsecond // 1000:03d}"

    def message(kind: int, values: str) -> str:
        return f"MSG,{kind},1,1,{address.upper()},1,{stamp},{stamp},{values}\r\n"

    return "".join(
        [
            message(1, "DLH77,,,,,,,,,,,0"),
            message(3, f",10000,,,{LAT},{LON},,,0,0,0,0"),
            message(4, ",,210,90,,,64,,,,,0"),
            message(6, ",10000,,,,,,4321,0,0,0,0"),
        ]
    ).encode()


class Source:
    """Sends what ``make`` gives for an address to every client, over and over."""

    def __init__(self, make: Callable[[str], bytes], address: str) -> None:
        self.make, self.address = make, address
        self.port = free_port()
        self._stop = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._listener.settimeout(EVERY_S)
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Hang up and stop listening."""
        self._stop.set()
        self._listener.close()

    def _accept(self) -> None:
        while not self._stop.is_set():
            with contextlib.suppress(OSError):
                client, _ = self._listener.accept()
                threading.Thread(target=self._send, args=(client,), daemon=True).start()

    def _send(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client:
            while not self._stop.wait(EVERY_S):
                client.sendall(self.make(self.address))


class WebSource:
    """Answers every request with what ``make`` gives for an address."""

    def __init__(self, make: Callable[[str], bytes], address: str, port: int = 0) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                found = not self.path.endswith("receiver.json")
                body = make(address) if found else b""
                self.send_response(200 if found else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()


class EveryReceiver:
    """A source for each kind in ``receivers.factory.KINDS``, and one for the other dialect of ``readsb``.

    ``texts`` are the values of ``receiver.<name>`` by name, ``kinds`` the kinds by name; each receiver hears aircraft
    whose address begins with its own ``prefix_of``.
    """

    def __init__(self, folder: Path) -> None:
        self.kinds = {
            "readsb": "readsb",
            "mutability": "readsb",
            "lines": "readsb-lines",
            "beast": "beast",
            "avr": "avr",
            "sbs": "sbs",
            "v2": "adsbx-v2",
            "tape": "replay",
            "demo": "simulate",
        }
        self.addresses = {name: f"4b{16 + n:02x}01" for n, name in enumerate(self.kinds)}
        made = {"lines": line, "beast": beast, "avr": avr, "sbs": sbs}
        tcp = {name: Source(make, self.addresses[name]) for name, make in made.items()}
        web = {
            "readsb": WebSource(readsb_document, self.addresses["readsb"]),
            "mutability": WebSource(mutability_document, self.addresses["mutability"]),
            "v2": WebSource(v2_document, self.addresses["v2"]),
        }
        self._sources: list[Source | WebSource] = [*tcp.values(), *web.values()]
        tape = folder / "tape.jsonl"
        moments = [{"now": 1e9 + n, "aircraft": [{"hex": self.addresses["tape"], **READSB}]} for n in range(600)]
        tape.write_text("\n".join(map(json.dumps, moments)), encoding="utf-8")
        self.texts = {
            **{name: f"{self.kinds[name]} 127.0.0.1:{source.port}" for name, source in tcp.items()},
            **{name: f"readsb {web[name].url}/data/aircraft.json" for name in ("readsb", "mutability")},
            "v2": f"adsbx-v2 {web['v2'].url}/v2/point/47/8/250 every=1",
            "tape": f"replay {tape} loop",
            "demo": "simulate aircraft=5 seed=7",
        }

    def close(self) -> None:
        """Fall silent."""
        for source in self._sources:
            source.close()
        self._sources.clear()


@contextlib.contextmanager
def every_receiver(folder: Path) -> Iterator[EveryReceiver]:
    """Sources that speak within the block, or until they are closed."""
    sources = EveryReceiver(folder)
    try:
        yield sources
    finally:
        sources.close()
