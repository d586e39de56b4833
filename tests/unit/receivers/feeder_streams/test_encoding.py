"""What an ingest process sends arrives as it was; what is of another version or none is refused by name."""

from __future__ import annotations

import dataclasses
import zlib
from collections import Counter

import msgspec
import numpy as np
import pytest

from skywatch.receivers.base import ReceiverStatus
from skywatch.receivers.feeder_streams.feeder import KnownFeeder
from skywatch.receivers.feeder_streams.message_codec import (
    FeederMessage,
    UnknownVersion,
    decode,
    decode_addresses,
    encode,
    encode_addresses,
)
from skywatch.receivers.feeder_streams.reducer.columns import Heard, ReducedColumns
from skywatch.receivers.feeder_streams.reduction import Delivered
from skywatch.receivers.feeder_streams.voices import OURS, Voice
from skywatch.receivers.formats.json_lines import LinesDecoder
from tests.unit.receivers.feeder_streams.feeders import Feeders, callsign, pair

ANONYMOUS = KnownFeeder(-4, "", True)
JSON = b'{"now":1767268800.1,"hex":"4840d6","type":"adsb_icao","lat":47.5,"lon":8.5,"seen_pos":0.1,"flight":"KLM1"}\n'


def same(one, other):
    for field in dataclasses.fields(one):
        np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), field.name)


def test_a_second_arrives_as_it_was():
    feeders = Feeders(1, 2, 3, trusted=(3,))
    for number in (1, 2):
        feeders.send(number, *pair(0x4B1617, 47.5, 8.5), callsign(0x4B1617, "SWR12"))
    feeders.send(3, *pair(0x4B1618, 46.5, 8.5), rssi=0)
    feeders.flush()
    decoded = LinesDecoder(Counter()).feed(JSON, 1_767_268_800.0)
    reduction = feeders.hub.reduce(feeders.at + 0.5)._replace(
        delivered=[
            Delivered("feeder-9", OURS, decoded.reports, 1),
            Delivered("anonymous-4", ANONYMOUS.voice("2001:db8:1:2::/64"), decoded.reports, 1),
        ]
    )
    message = FeederMessage("a", reduction, [ReceiverStatus("in", "listen", "0.0.0.0:1")], [7])
    arrived = decode(encode(message))
    same(arrived.reduction.reports, reduction.reports)
    same(arrived.reduction.heard, reduction.heard)
    assert len(arrived.reduction.alone) == len(reduction.alone) == 2
    same(arrived.reduction.alone, dataclasses.replace(reduction.alone, time=arrived.reduction.alone.time))
    np.testing.assert_allclose(arrived.reduction.alone.time, reduction.alone.time, atol=0.001)
    # Of lanes that brought nothing there is no word.
    assert arrived.reduction.lanes == {number: reduction.lanes[number] for number in (2, 3, 4)}
    assert arrived.reduction.links == reduction.links
    assert (arrived.process, arrived.statuses, arrived.copied) == ("a", message.statuses, [7])
    delivered, of_stranger = arrived.reduction.delivered
    assert delivered.voice.is_ours
    assert of_stranger.voice == Voice("network 2001:db8:1::/48", "2001:db8:1:2::/64")
    assert (delivered.receiver, delivered.reports[0].flight, delivered.reports[0].lat) == ("feeder-9", "KLM1", 47.5)
    assert delivered.reports[0].position_at == pytest.approx(decoded.reports[0].position_at)


def test_a_message_of_the_release_before_has_no_frames_and_is_read():
    feeders = Feeders(1)
    feeders.send(1, callsign(0x4B1617, "SWR12"))
    feeders.flush()
    message = FeederMessage("a", feeders.hub.reduce(feeders.at), [], [])
    wire = msgspec.msgpack.decode(zlib.decompress(encode(message)[1:]))
    before = encode(message)[:1] + zlib.compress(msgspec.msgpack.encode(wire[:-1]))
    arrived = decode(before)
    assert len(arrived.reduction.alone) == 0
    same(arrived.reduction.reports, message.reduction.reports)


def test_frames_whose_columns_differ_in_length_are_refused():
    feeders = Feeders(1)
    feeders.send(1, callsign(0x4B1617, "SWR12"))
    feeders.flush()
    data = encode(FeederMessage("a", feeders.hub.reduce(feeders.at), [], []))
    wire = msgspec.msgpack.decode(zlib.decompress(data[1:]))
    wire[-1]["age_ms"] += b"00"
    with pytest.raises(ValueError, match="columns differ"):
        decode(data[:1] + zlib.compress(msgspec.msgpack.encode(wire)))


def test_an_empty_second_arrives():
    nothing = ReducedColumns.blank(np.empty(0, np.int64), np.empty(0))
    reduction = Feeders(1).reduce()._replace(reports=nothing, heard=Heard.nothing())
    assert len(decode(encode(FeederMessage("a", reduction, [], []))).reduction.reports) == 0


def test_another_version_and_nonsense_are_refused_by_name():
    data = encode(FeederMessage("a", Feeders(1).reduce(), [], []))
    with pytest.raises(UnknownVersion, match="version 9; this process reads version 1"):
        decode(b"\x09" + data[1:])
    for nonsense in (b"", data[:-5], b"\x01" + b"x" * 50):
        with pytest.raises(ValueError):
            decode(nonsense)


def test_heard_addresses_arrive_and_nonsense_is_refused():
    addresses = np.array([0x1400001, 0x400000, 1])
    data = encode_addresses(addresses)
    assert decode_addresses(data).tolist() == [1, 0x400000, 0x1400001]
    assert decode_addresses(encode_addresses(np.empty(0, np.int64))).tolist() == []
    with pytest.raises(UnknownVersion, match="addresses of version 9"):
        decode_addresses(b"\x09" + data[1:])
    for nonsense in (b"", data[:-3], b"\x01" + zlib.compress(b"odd")):
        with pytest.raises(ValueError):
            decode_addresses(nonsense)
