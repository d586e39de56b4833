"""Stand-ins for programs that read outputs, with the rules by which each refuses a line or a message.

The rules are those of planefence's socket30003.pl (2026), Virtual Radar Server 3.0.0 (preview) and readsb 3.14.
"""

import re

import numpy as np

from skywatch.outputs.feeder import HEARTBEAT_S
from skywatch.outputs.forms import HEARTBEATS, beast, sbs
from skywatch.receivers.framing.frames import FrameBatch
from tests.skies import NOW, sky_of
from tests.unit.outputs.test_forms import FRAMES, LONG, RED, SILENT, SWISS, TAXI, heard

# Seconds without data after which Virtual Radar Server closes a connection.
VRS_IDLE_S = 60
SHORT = bytes.fromhex("5D4840D6202CC3")
SKY = heard(sky_of(SWISS, TAXI, SILENT, RED))
CALLSIGN, ALTITUDE, SPEED, TRACK, LAT, LON, RATE, SQUAWK = range(10, 18)


def stream(*skies):
    """What a reader of an SBS output gets, from its connection on."""
    return HEARTBEATS["sbs"] + b"".join(sbs(sky, np.arange(len(sky)), 0.0) for sky in skies)


class Planefence:
    """socket30003.pl: merges the lines of an aircraft, and writes a row for each line that has a whole position."""

    def __init__(self, data):
        self.aircraft, self.rows, self.refused = {}, [], 0
        for line in data.decode().split("\n"):
            self._take(line)

    def _take(self, line):
        # Perl's split drops empty fields at the end.
        fields = line.rstrip("\r").rstrip(",").split(",")
        if len(fields) <= 20 or not re.fullmatch("[0-9A-F]+", fields[4], re.I):
            self.refused += bool(line.strip())
            return
        known = self.aircraft.setdefault(fields[4], {})
        for name, field, pattern in (
            ("callsign", CALLSIGN, r".*[A-Za-z0-9].*"),
            ("altitude", ALTITUDE, r"\d*[1-9]\d*\.?\d*"),
            ("speed", SPEED, r"\d*[1-9]\d*\.?\d*"),
            ("track", TRACK, r"\d+\.?\d*"),
        ):
            if re.fullmatch(pattern, fields[field]):
                known[name] = fields[field]
        if fields[SQUAWK].isdigit():
            # The second of two that agree counts.
            if known.get("squawk heard") == fields[SQUAWK]:
                known["squawk"] = fields[SQUAWK]
            known["squawk heard"] = fields[SQUAWK]
        # Position and altitude must come within 10 ms of each other, which lines of one tick do.
        if "." in fields[LAT] and "." in fields[LON] and "altitude" in known:
            self.rows.append({"hex": fields[4], "lat": fields[LAT], "lon": fields[LON]} | known)


def test_planefence_has_a_row_for_every_position_in_the_air():
    reader = Planefence(stream(SKY, SKY))
    assert set(reader.aircraft) == {"4B1620", "4B0001", "406A90"}
    swiss = reader.rows[-1]
    expected = {"hex": "4B1620", "lat": "47.500000", "lon": "8.600000", "callsign": "SWR123  ", "altitude": "34000"}
    assert expected.items() <= swiss.items()
    assert {row["hex"] for row in reader.rows} == {"4B1620"}
    assert reader.aircraft["4B1620"].items() >= {"speed": "450.5", "track": "90.1", "squawk": "1000"}.items()
    # Addresses that are not ICAO's, and nothing else.
    assert reader.refused == 2


def virtual_radar_lines(data):
    """Lines as Virtual Radar Server cuts them: what comes before the first line end is dropped."""
    return [line.decode() for line in re.split(rb"[\r\n]", data)[1:-1] if line]


def virtual_radar_message(line):
    """The message of a line by field; raises where Virtual Radar Server does, which then reports a broken feed."""
    readers = dict.fromkeys((2, 3, 5, ALTITUDE, RATE, SQUAWK), int) | dict.fromkeys((SPEED, TRACK, LAT, LON), float)
    message = {}
    for number, text in enumerate(line.split(",")):
        if number in (6, 8):
            assert re.fullmatch(r"\d{4}.\d\d.\d\d", text), line
        if number in (7, 9):
            assert re.fullmatch(r"\d\d.\d\d.\d\d.\d{3}", text), line
        if text:
            message[number] = readers.get(number, str)(text)
    assert message[0] == "MSG"
    assert message[1] in "12345678"
    return message


def test_virtual_radar_server_reads_every_line():
    messages = [virtual_radar_message(line) for line in virtual_radar_lines(stream(SKY))]
    by_address = {}
    for message in messages:
        # Later values replace earlier ones; an address that is no number is passed over.
        if re.fullmatch("[0-9A-F]{1,6}", message[4]):
            by_address.setdefault(message[4], {}).update(message)
    assert set(by_address) == {"4B1620", "4B0001", "406A90"}
    swiss = by_address["4B1620"]
    numbers = {CALLSIGN: "SWR123  ", ALTITUDE: 34000, SPEED: 450.5, TRACK: 90.1, LAT: 47.5, LON: 8.6, RATE: -64}
    assert numbers.items() <= swiss.items()
    assert (by_address["4B0001"][21], swiss[21], by_address["406A90"][19]) == ("-1", "0", "-1")
    assert HEARTBEAT_S < VRS_IDLE_S


def virtual_radar_frames(data):
    """Beast as Virtual Radar Server cuts it: a message that begins with the first byte is dropped."""
    messages = []
    for token in re.finditer(rb"(\x1a)\x1a|\x1a([123])|([^\x1a])", data):
        escaped, kind, byte = token.groups()
        if kind:
            messages.append((kind, bytearray()))
        else:
            messages[-1][1].extend(escaped or byte)
    lengths = {b"1": 2, b"2": 7, b"3": 14}
    assert all(len(rest) == 6 + 1 + lengths[kind] for kind, rest in messages)
    return [bytes(rest[7:]) for kind, rest in messages[1:] if kind != b"1"]


def test_virtual_radar_server_reads_every_frame():
    frames = FrameBatch.of_bytes([LONG, SHORT], time=NOW)
    assert virtual_radar_frames(HEARTBEATS["beast"] + beast(frames)) == [LONG, SHORT]
    assert len(virtual_radar_frames(HEARTBEATS["beast"] + beast(FRAMES))) == len(FRAMES)


def readsb_takes(line):
    """Whether readsb's sbs_in takes a line."""
    fields = line.split(",")
    return (
        20 <= len(line) < 200
        and len(fields) == 22
        and fields[0] == "MSG"
        and len(fields[1]) == 1
        and re.fullmatch("[0-9A-Fa-f]{6}", fields[4]) is not None
        and re.fullmatch("[A-Z0-9 ]{0,8}", fields[CALLSIGN]) is not None
        and (not fields[ALTITUDE] or -5000 < int(fields[ALTITUDE]) < 100_000)
    )


def test_readsb_takes_every_line_with_an_icao_address():
    lines = stream(SKY).decode().split("\r\n")
    refused = [line for line in lines if line and not readsb_takes(line)]
    assert [line.split(",")[4] for line in refused] == ["~3C6444"]
