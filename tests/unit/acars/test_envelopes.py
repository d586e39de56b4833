"""The envelopes of the decoders, whole and broken."""

import json
import random
from collections import Counter

import msgspec
import pytest

from skywatch.acars.decoder import DatagramDecoder, StreamDecoder
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
    found = DatagramDecoder(counts).feed(packet.encode(), 0.0)
    assert [burst.source for burst in found] == ["acars", "vdl2"]
    assert not counts


def test_a_broken_object_costs_not_the_next_one_on_its_line():
    counts = Counter()
    line = json.dumps(ACARSDEC)[:-30] + "}, " + json.dumps(DUMPVDL2) + "\n"
    found = DatagramDecoder(counts).feed(line.encode(), 0.0)
    assert [burst.source for burst in found] == ["acars", "vdl2"]
    assert counts == {"json": 1}


def test_a_text_split_over_packets_is_one_and_a_cut_datagram_costs_nothing_else():
    counts = Counter()
    decoder = DatagramDecoder(counts)
    data = json.dumps(ACARSDEC).encode() + b"\n"
    assert decoder.feed(data[:40], 0.0) == []
    assert len(decoder.feed(data[40:], 0.0)) == 1
    assert decoder.feed(data[:40], 0.0) == []
    assert len(decoder.feed(json.dumps(DUMPVDL2).encode(), 0.0)) == 1
    assert counts == {"json": 1}


def test_white_space_within_a_text_at_the_end_of_a_packet_belongs_to_it():
    text = "ONE, TWO\tTHREE  FOUR"
    data = json.dumps({**ACARSDEC, "text": text}).encode() + b"\n"
    for end in range(len(data)):
        counts = Counter()
        decoder = StreamDecoder(counts)
        found = [*decoder.feed(data[:end], 0.0), *decoder.feed(data[end:], 0.0)]
        assert [burst.text for burst in found] == [text], data[:end]
        assert not counts


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize("separator", ["\n", "", ", ", " \t"])
def test_however_a_recording_is_split_into_packets_its_messages_are_the_same(shared_data, separator):
    chance = random.Random(26)
    for path in sorted((shared_data / "acars").glob("*.jsonl")):
        lines = path.read_bytes().split(b"\n")
        whole = Counter()
        expected = [content for line in lines for content in read(line, whole)]
        data = separator.encode().join(line.strip() for line in lines if line.strip())
        # By single bytes at every boundary that there is.
        for longest in (1, 7, 400, 3_000, 65_536):
            counts, found, start = Counter(), [], 0
            decoder = StreamDecoder(counts)
            while start < len(data):
                end = start + chance.randint(1, longest)
                found += decoder.feed(data[start:end], 0.0)
                start = end
            assert found == expected, (path.name, longest)
            assert counts == whole


def test_a_line_that_is_too_long_is_dropped_up_to_its_end():
    counts = Counter()
    decoder = StreamDecoder(counts)
    good = json.dumps(ACARSDEC).encode()
    data = b'{"text": "' + b"x" * 200_000 + good + b"\n" + good + b"\n"
    found = [
        content for start in range(0, len(data), 1_000) for content in decoder.feed(data[start : start + 1_000], 0)
    ]
    assert [content.text for content in found] == ["HELLO"]
    assert counts == {"too_long": 1}


def test_objects_without_line_ends_are_read_although_every_packet_ends_within_one():
    counts = Counter()
    decoder = StreamDecoder(counts)
    # Among them one that takes most of what is buffered.
    texts = [f"T{number}" + "X" * (50_000 if number == 450 else 0) for number in range(900)]
    data = b"".join(json.dumps({**ACARSDEC, "text": text}).encode() for text in texts)
    found = []
    while data:
        # No packet ends with an object.
        end = 1_000 - (data[999:1_000] == b"}")
        found += decoder.feed(data[:end], 0.0)
        data = data[end:]
    assert [content.text[:4] for content in found] == [text[:4] for text in texts]
    assert not counts


WRAPPED = [
    {"topic": "x", "payload": {"message": ACARSDEC}},
    {"topic": "x", "payload": {"message": DUMPVDL2}},
    {"a": {"b": {"c": DUMPHFDL}}},
    {"messages": [ACARSDEC]},
    {"data": {"items": [{"id": 1, "body": JAERO}]}},
    [ACARSDEC],
    [{"body": DUMPVDL2}],
]


@pytest.mark.parametrize("envelope", WRAPPED, ids=range(len(WRAPPED)))
def test_a_message_is_found_within_other_objects_and_lists(envelope):
    inner = next(one for one in (ACARSDEC, DUMPVDL2, DUMPHFDL, JAERO) if json.dumps(one) in json.dumps(envelope))
    found, direct = only(envelope), only(inner)
    assert msgspec.structs.replace(found, raw={}) == msgspec.structs.replace(direct, raw={})
    assert json.dumps(found.raw) in json.dumps(envelope)


def test_all_messages_of_a_list_are_read_and_values_around_describe_them():
    counts = Counter()
    listed = {"vdl2": [DUMPVDL2["vdl2"], DUMPVDL2["vdl2"]]}
    assert [one.source for one in read(json.dumps(listed).encode(), counts)] == ["vdl2", "vdl2"]
    mixed = [ACARSDEC, DUMPVDL2, 5, {"a": 1}]
    assert [one.source for one in read(json.dumps(mixed).encode(), counts)] == ["acars", "vdl2"]
    assert counts == {"other": 1}
    acars = {"label": "H1", "text": "X", "reg": "N1"}
    deep = only({"station_id": "ST", "timestamp": 1769991943, "satdump": {"freq": 1545.0, "packet": {"acars": acars}}})
    assert (deep.station, deep.frequency_mhz, deep.registration, deep.at) == ("ST", 1545.0, "N1", 1769991943.0)
    assert deep.source == "inmarsat"


def test_a_message_is_not_looked_for_without_end():
    deep = ACARSDEC
    for _ in range(50):
        deep = {"x": deep}
    wide = {"x": [{"y": number} for number in range(3_000)] + [ACARSDEC]}
    counts = Counter()
    assert read(json.dumps(deep).encode(), counts) == read(json.dumps(wide).encode(), counts) == []
    assert counts == {"other": 2}


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
    decoder = DatagramDecoder(counts)
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
        decoder = DatagramDecoder(counts)
        for _ in range(200):
            data = bytearray(good)
            for _ in range(random_.randint(1, 12)):
                data[random_.randrange(len(data))] = random_.randrange(256)
            decoder.feed(bytes(data[: random_.randint(1, len(data))]), 0.0)
        assert any(isinstance(content, Burst) for content in decoder.feed(b"\n" + good, 0.0))


IRIDIUM = {
    "app": {"name": "iridium-toolkit", "version": "0.0.1"},
    "source": {"transport": "iridium", "protocol": "acars", "station_id": "T-IRDM"},
    "acars": {"timestamp": "2026-11-20T01:00:05", "errors": 0, "link_direction": "uplink", "block_end": True,
              "mode": "2", "tail": "HB-JXA", "flight": "LX0123", "label": "H1", "block_id": "2",
              "message_number": "M01A", "ack": "!", "text": "INVENTED TEXT"},
    "freq": 1624960000, "level": -31.2, "header": "0300",
}  # fmt: skip


def test_iridium_toolkit():
    burst = only(IRIDIUM)
    assert (burst.source, burst.station, burst.at) == ("iridium", "T-IRDM", 1795136405.0)
    assert (burst.frequency_mhz, burst.level_db, burst.direction) == (1624.96, -31.2, "uplink")
    assert (burst.registration, burst.flight, burst.label, burst.text) == ("HB-JXA", "LX0123", "H1", "INVENTED TEXT")
    assert (burst.message_number, burst.sequence, burst.more) == ("M01", "A", False)
    assert burst.raw == IRIDIUM


@pytest.mark.parametrize(
    ("text", "sublabel", "rest"),
    [
        ("#M1BPOSN35317W107600", "M1", "POSN35317W107600"),
        ("#T1B/B6 USADCXA", "T1", "USADCXA"),
        ("- #MD/AA ATLTWXA", "MD", "ATLTWXA"),
        ("#DFB0400000627932100", "DF", "0400000627932100"),
        ("POSN35317W107600", None, "POSN35317W107600"),
        ("#5", None, "#5"),
    ],
)
def test_a_sublabel_in_front_of_the_text_is_the_sublabel(text, sublabel, rest):
    burst = only({**ACARSDEC, "text": text})
    assert (burst.sublabel, burst.text) == (sublabel, rest)
    assert only({**ACARSDEC, "label": "5Z", "text": text}).text == text


@pytest.mark.parametrize(
    ("written", "mhz"),
    [(131.725, 131.725), ("131.550", 131.55), (131725, 131.725), (131725000, 131.725), ("131725", 131.725), (0, None),
     (11384000, 11.384), (11384, 11.384), (11.384, 11.384), (1624960000, 1624.96), (1545.0, 1545.0), (1545000, 1545.0),
     ("none", None), (True, None)],
)  # fmt: skip
def test_a_frequency_is_in_megahertz_whatever_its_unit(written, mhz):
    assert only({**ACARSDEC, "freq": written}).frequency_mhz == mhz


@pytest.mark.parametrize(
    "written",
    [1795000000.5, "1795000000.5", 1795000000500, "1795000000500", 1795000000500000, 1795000000500000000,
     {"sec": "1795000000", "usec": 500000}, "2026-11-18T11:06:40.5", "2026-11-18T11:06:40.500Z",
     "2026-11-18 12:06:40.5+01:00"],
)  # fmt: skip
def test_a_time_is_in_seconds_whatever_its_unit(written):
    assert only({**ACARSDEC, "timestamp": written}).at == 1795000000.5


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("HELLO", "HEL\x01LO"),
        lambda text: text.replace('"level": -6.9', '"level": '),
        lambda text: text[:-1] + ",}",
        lambda text: text + "]garbage",
        lambda text: text.replace('"ack": "!", ', '"ack": "!" '),
        lambda text: "\ufeff" + text,
    ],
)
@pytest.mark.parametrize("decoder", [DatagramDecoder, StreamDecoder])
def test_one_bad_field_does_not_refuse_a_message(damage, decoder):
    counts = Counter()
    data = damage(json.dumps(ACARSDEC)).encode() + b"\n"
    (burst,) = decoder(counts).feed(data, 0.0)
    assert (burst.text, burst.label, burst.registration) == ("HELLO", "H1", "N12345")
    assert set(counts) <= {"json"}
