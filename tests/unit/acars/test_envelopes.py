"""The envelopes of the decoders, whole and broken."""

import json
import random
from collections import Counter

import pytest

from skywatch.acars.decoder import AcarsDecoder
from skywatch.acars.envelopes import Burst, FramePosition, read

ACARSDEC = {
    "timestamp": 1769990333.5, "station_id": "ST", "freq": 131.55, "level": -6.9, "mode": "2", "label": "H1",
    "block_id": "3", "ack": "!", "tail": ".N12345", "flight": "AB0123", "msgno": "D09A", "text": "HELLO",
    "app": {"name": "acarsdec", "ver": "4.1"},
}  # fmt: skip
DUMPVDL2 = {
    "vdl2": {
        "station": "ST", "t": {"sec": 1769990648, "usec": 500000}, "freq": 136650000, "sig_level": -16.6,
        "avlc": {
            "src": {"addr": "ABFDAF", "type": "Aircraft"}, "dst": {"addr": "1144AA", "type": "Ground station"},
            "acars": {"reg": ".N12345", "label": "H1", "blk_id": "3", "flight": "AB0123", "msg_num": "D09",
                      "msg_num_seq": "A", "more": True, "sublabel": "DF", "msg_text": "HELLO"},
        },
    }
}  # fmt: skip
DUMPHFDL = {
    "hfdl": {
        "station": "ST", "t": {"sec": 1769991943, "usec": 0}, "freq": 17919000,
        "lpdu": {
            "src": {"type": "Ground station"}, "dst": {"type": "Aircraft", "ac_info": {"icao": "A9CFF8"}},
            "hfnpdu": {"acars": {"reg": ".N12345", "label": "_d", "blk_id": "D", "msg_text": ""}},
        },
    }
}  # fmt: skip
JAERO = {
    "app": {"name": "JAERO"}, "station": "ST", "t": {"sec": 1769991943, "usec": 0},
    "isu": {"src": {"addr": "4B1620", "type": "Aircraft Earth Station"}, "dst": {"addr": "90"},
            "acars": {"reg": ".HB-ABC", "label": "B6", "blk_id": "1", "msg_text": "X"}},
}  # fmt: skip


def only(envelope):
    counts = Counter()
    (content,) = read(json.dumps(envelope).encode(), counts)
    assert not counts
    return content


def test_acarsdec():
    burst = only(ACARSDEC)
    assert (burst.source, burst.station, burst.registration, burst.flight) == ("acars", "ST", "N12345", "AB0123")
    assert (burst.message_number, burst.sequence, burst.direction) == ("D09", "A", "downlink")
    assert (burst.frequency_mhz, burst.level_db, burst.text) == (131.55, -6.9, "HELLO")


def test_acarsdec_tells_that_more_parts_follow():
    assert only({**ACARSDEC, "assstat": "in progress"}).more
    assert not only({**ACARSDEC, "assstat": "complete"}).more


def test_vdlm2dec_has_its_address_as_a_number():
    burst = only({**ACARSDEC, "freq": 136.775, "icao": 0x4B1620, "app": {"name": "vdlm2dec"}, "end": True})
    assert (burst.source, burst.icao_hex, burst.more) == ("vdl2", "4B1620", True)
    frame = only({"timestamp": 1769990333.5, "hex": "4B1620", "lat": 47.4, "lon": -3.8, "alt": 36000})
    assert isinstance(frame, FramePosition)
    assert (frame.icao_hex, frame.altitude_ft) == ("4B1620", 36000)


def test_dumpvdl2_dumphfdl_and_jaero():
    vdl2, hfdl, jaero = only(DUMPVDL2), only(DUMPHFDL), only(JAERO)
    assert (vdl2.source, vdl2.icao_hex, vdl2.direction, vdl2.more) == ("vdl2", "ABFDAF", "downlink", True)
    assert (vdl2.frequency_mhz, vdl2.at) == (136.65, 1769990648.5)
    assert (hfdl.source, hfdl.icao_hex, hfdl.direction) == ("hfdl", "A9CFF8", "uplink")
    assert (jaero.source, jaero.icao_hex, jaero.registration) == ("inmarsat", "4B1620", "HB-ABC")


def test_a_position_of_180_degrees_is_none():
    pos = {"lat": 180.0, "lon": 180.0}
    lpdu = {"src": {"type": "Aircraft"}, "hfnpdu": {"pos": pos, "flight_id": "AB1"}}
    counts = Counter()
    assert read(json.dumps({"hfdl": {"t": {"sec": 1769991943}, "lpdu": lpdu}}).encode(), counts) == []
    assert counts == {"frame": 1}


def test_any_envelope_with_a_label_and_a_text_is_kept():
    burst = only({"satdump": {"label": "H1", "text": "X", "reg": "N1"}, "timestamp": 1769991943})
    assert (burst.label, burst.text, burst.registration) == ("H1", "X", "N1")


@pytest.mark.parametrize(
    "packet",
    [
        json.dumps(ACARSDEC) + "\n" + json.dumps(DUMPVDL2),
        json.dumps(ACARSDEC) + json.dumps(DUMPVDL2),
        json.dumps(ACARSDEC) + ",\r\n" + json.dumps(DUMPVDL2) + ",",
    ],
)
def test_several_objects_in_a_packet(packet):
    counts = Counter()
    found = AcarsDecoder(counts).feed(packet.encode(), 0.0)
    assert [burst.source for burst in found] == ["acars", "vdl2"]
    assert not counts


def test_a_broken_object_costs_not_the_next_one_on_its_line():
    counts = Counter()
    line = json.dumps(ACARSDEC)[:-30] + "}, " + json.dumps(DUMPVDL2) + "\n"
    found = AcarsDecoder(counts).feed(line.encode(), 0.0)
    assert [burst.source for burst in found] == ["vdl2"]
    assert counts == {"json": 1}


def test_a_text_split_over_packets_is_one_and_a_cut_datagram_costs_nothing_else():
    counts = Counter()
    decoder = AcarsDecoder(counts)
    data = json.dumps(ACARSDEC).encode() + b"\n"
    assert decoder.feed(data[:40], 0.0) == []
    assert len(decoder.feed(data[40:], 0.0)) == 1
    assert decoder.feed(data[:40], 0.0) == []
    assert len(decoder.feed(json.dumps(DUMPVDL2).encode(), 0.0)) == 1
    assert counts == {"json": 1}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"garbage", "json"),
        (b'{"a": 1}', "other"),
        (b'{"label": "H1"', None),
        (b"[1, 2]\n", "other"),
        (b"\xff\xfe\x00\n", "json"),
        (b'{"vdl2": {"avlc": {"acars": 5}}}', "frame"),
        (b"{" * 70_000, "too_long"),
    ],
)
def test_what_holds_no_message_is_counted_and_the_next_good_one_is_read(data, reason):
    counts = Counter()
    decoder = AcarsDecoder(counts)
    assert decoder.feed(data, 0.0) == []
    if reason is not None:
        assert counts == {reason: 1}
    assert len(decoder.feed(json.dumps(ACARSDEC).encode(), 0.0)) == 1


def test_texts_keep_no_control_characters_nor_lone_surrogates():
    counts = Counter()
    text = json.dumps({**ACARSDEC, "text": "A\x00B\x1b\x7fC\nD"}) + json.dumps(ACARSDEC).replace("HELLO", "\\ud800X")
    first, second = read(text.encode(), counts)
    assert first.text == "ABC\nD"
    assert "\ud800" not in second.text


def test_mutated_packets_raise_nothing():
    random_ = random.Random(3)
    counts = Counter()
    for envelope in (ACARSDEC, DUMPVDL2, DUMPHFDL, JAERO):
        good = json.dumps(envelope).encode()
        decoder = AcarsDecoder(counts)
        for _ in range(2_000):
            data = bytearray(good)
            for _ in range(random_.randint(1, 12)):
                data[random_.randrange(len(data))] = random_.randrange(256)
            decoder.feed(bytes(data[: random_.randint(1, len(data))]), 0.0)
        assert any(isinstance(content, Burst) for content in decoder.feed(b"\n" + good, 0.0))
