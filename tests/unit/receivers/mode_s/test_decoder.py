"""Which frames are accepted and whose they are, and that the decoder neither grows nor forgets too early."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec import UNSET

from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.framing.frames import FrameBatch
from skywatch.receivers.mode_s.decoded import Status
from skywatch.receivers.mode_s.decoder import FORGET_S, PROVED_S, Decoder
from skywatch.receivers.mode_s.encoder import (
    airborne_position,
    all_call,
    beast,
    identification,
    reply,
    reply_altitude_code,
    squitter,
    velocity,
)
from tests.unit.receivers.mode_s.helpers import ADDRESS, carried, decode_frames, positions

ALTITUDE = reply(4, ADDRESS, reply_altitude_code(35_000))


def statuses(*frames: bytes, decoder: Decoder | None = None) -> list[Status]:
    decoded = (decoder or Decoder()).decode([(float(place), frame, None) for place, frame in enumerate(frames)])
    return [Status(status) for status in decoded.status]


def test_every_reason_to_refuse_a_frame():
    good = squitter(ADDRESS, velocity(100, 100))
    damaged = good[:-1] + bytes([good[-1] ^ 1])
    assert statuses(
        good, damaged, good[:7], good + b"\0", b"", b"\x8d", ALTITUDE, reply(4, ADDRESS + 1, 0), bytes(7), bytes(14),
        bytes([19 << 3]) + bytes(13), bytes([24 << 3]) + bytes(13), squitter(0, velocity(1, 1)),
        all_call(0xFFFFFF), squitter(ADDRESS, velocity(1, 1), 18, 4), squitter(ADDRESS, 0, 18, 7),
    ) == [
        Status.GOOD, Status.BAD_PARITY, Status.BAD_LENGTH, Status.BAD_LENGTH, Status.BAD_LENGTH, Status.BAD_LENGTH,
        Status.GOOD, Status.UNKNOWN_ADDRESS, Status.UNKNOWN_ADDRESS, Status.BAD_LENGTH, Status.UNSUPPORTED,
        Status.UNSUPPORTED, Status.NO_AIRCRAFT, Status.NO_AIRCRAFT, Status.NO_AIRCRAFT, Status.NO_AIRCRAFT,
    ]  # fmt: skip


def test_counters_add_up_to_the_frames():
    decoder = Decoder()
    statuses(all_call(ADDRESS), ALTITUDE, b"", bytes(7), squitter(ADDRESS, 0)[:-1] + b"\0", decoder=decoder)
    counts = decoder.statistics.as_dict()
    assert counts["frames"] == 5
    assert counts["good"] == {4: 1, 11: 1}
    assert (counts["bad_length"], counts["unknown_address"], counts["bad_parity"]) == (1, 1, 1)


@pytest.mark.parametrize("proof", [all_call(ADDRESS), squitter(ADDRESS, velocity(1, 1)), squitter(ADDRESS, 0, 18, 0)])
@pytest.mark.parametrize("size", [1, 2])
def test_an_address_from_parity_counts_after_a_frame_that_proves_it(proof, size):
    frames = [(0.0, ALTITUDE), (1.0, proof), (2.0, ALTITUDE), (2.0 + PROVED_S, ALTITUDE)]
    assert [m.at for m in decode_frames(frames, batch_size=size)] == [1.0, 2.0]


@pytest.mark.parametrize(
    "frame",
    [
        all_call(ADDRESS, interrogator=5),  # one of 128 noise bursts with this address
        squitter(ADDRESS, velocity(1, 1), 18, 2),  # the ground says so, not the aircraft
        squitter(ADDRESS, velocity(1, 1), 18, 6),
        squitter(ADDRESS, velocity(1, 1), 18, 1),  # not an ICAO address
    ],
)
def test_frames_that_prove_no_address(frame):
    assert Status.UNKNOWN_ADDRESS in statuses(frame, ALTITUDE)


def test_an_answer_to_an_interrogator_counts_once_the_address_is_proved():
    answer = all_call(ADDRESS, interrogator=0x4F)
    assert statuses(answer, all_call(ADDRESS), answer) == [Status.UNKNOWN_ADDRESS, Status.GOOD, Status.GOOD]
    # The code has seven bits; more than that is damage.
    assert statuses(all_call(ADDRESS), all_call(ADDRESS, interrogator=0x80))[1] == Status.BAD_PARITY


@pytest.mark.parametrize(
    ("control", "imf", "name", "source"),
    [
        (0, 0, "4ca216", "adsb_icao_nt"), (1, 0, "~4ca216", "adsb_other"), (2, 0, "4ca216", "tisb_icao"),
        (2, 1, "~4ca216", "tisb_trackfile"), (5, 0, "~4ca216", "tisb_other"), (6, 0, "4ca216", "adsr_icao"),
        (6, 1, "~4ca216", "adsr_other"), (0, 1, "4ca216", "adsb_icao_nt"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("me", "imf_bit"),
    [(airborne_position(50.0, 8.0, 0), 8), (velocity(100, 100), 9), (7 << 51, 21), (31 << 51, 56), (29 << 51, 51)],
)
def test_addresses_and_sources_of_df18(control, imf, name, source, me, imf_bit):
    frame = squitter(ADDRESS, me | imf << (56 - imf_bit), 18, control)
    (message,) = decode_frames([(0.0, frame)])
    assert (message.hex, message.type, message.df) == (name, source, 18)


def test_coarse_tisb_gives_the_address_and_nothing_of_its_own_form():
    for imf, name in ((0, "4ca216"), (1, "~4ca216")):
        (message,) = decode_frames([(0.0, squitter(ADDRESS, imf << 55 | 0x12_3456_789A_BCDE, 18, 3))])
        assert message.hex == name
        assert {"alt_baro", "gs", "lat"}.isdisjoint(carried(message))


def test_sources_of_one_address_do_not_mix_their_positions():
    even, odd = (squitter(ADDRESS, airborne_position(50.0, 8.0, k)) for k in (0, 1))
    tisb_even, tisb_odd = (squitter(ADDRESS, airborne_position(52.0, 9.0, k), 18, 2) for k in (0, 1))
    frames = list(enumerate([even, tisb_odd, tisb_even, odd]))
    found = positions(decode_frames([(float(t), frame) for t, frame in frames]))
    assert found == [pytest.approx((52.0, 9.0), abs=1e-3), pytest.approx((50.0, 8.0), abs=1e-3)]


def test_multilateration_results_are_a_source_of_their_own():
    stream = b"".join(
        beast(squitter(ADDRESS, airborne_position(50.0, 8.0, odd), 18, 2), 0xFF004D4C4154) for odd in (0, 1)
    )
    batch = BeastFramer().feed(stream, 100.0)
    messages = Decoder().decode(batch).messages()
    assert [m.type for m in messages] == ["mlat", "mlat"]
    assert positions(messages) == [pytest.approx((50.0, 8.0), abs=1e-3)]


def test_the_capability_says_whether_an_aircraft_is_on_the_ground():
    frames = [(0.0, all_call(ADDRESS, capability=capability)) for capability in range(8)]
    expected = [UNSET] * 4 + [True, False, UNSET, UNSET]
    assert [m.on_ground for m in decode_frames(frames)] == expected
    # A position in the air with a capability "on the ground" says neither.
    assert decode_frames([(0.0, squitter(ADDRESS, airborne_position(1.0, 1.0, 0), capability=4))])[0].on_ground is UNSET


@pytest.mark.parametrize("df", [4, 5, 20, 21])
def test_flight_status(df):
    frames = [(0.0, all_call(ADDRESS, capability=7))]
    # Single bits are believed from the second reply on.
    frames += [(1.0 + n, reply(df, ADDRESS, 0, n // 2)) for n in range(12)]
    found = [(m.alert, m.spi, m.on_ground) for m in decode_frames(frames)[2::2]]
    assert found == [(0, 0, UNSET), (0, 0, True), (1, 0, UNSET), (1, 0, True), (1, 1, UNSET), (0, 1, UNSET)]


def test_vertical_status_of_replies_to_aircraft():
    frames = [(0.0, all_call(ADDRESS, capability=7)), (1.0, reply(0, ADDRESS, 0))]
    frames += [(2.0, reply(16, ADDRESS, 0, 4)), (3.0, reply(16, ADDRESS, 0, 4))]
    assert [m.on_ground for m in decode_frames(frames)] == [UNSET, UNSET, UNSET, True]


def test_signal_levels_and_times_are_those_of_the_frame():
    decoded = Decoder().decode([(12.5, all_call(ADDRESS), -20.04), (13.5, all_call(ADDRESS), None)])
    assert [(m.at, m.rssi) for m in decoded] == [(12.5, -20.0), (13.5, UNSET)]


def test_frames_without_a_time_have_that_of_the_one_before():
    decoder = Decoder()
    decoder.decode([(50.0, all_call(ADDRESS), None)])
    even, odd = (squitter(ADDRESS, airborne_position(50.0, 8.0, k, 35_000)) for k in (0, 1))
    batch = [(math.nan, even, None), (math.inf, odd, None), (51.0, ALTITUDE, None), (math.nan, ALTITUDE, None)]
    messages = decoder.decode(batch).messages()
    assert len(positions(messages)) == 1
    assert [m.at for m in messages] == [50.0, 50.0, 51.0, 51.0]


def test_columns_are_what_the_messages_say():
    frames = [(0.0, squitter(ADDRESS, airborne_position(50.0, 8.0, k, 12_000))) for k in (0, 1)]
    frames += [(1.0, squitter(ADDRESS, velocity(300, 400))), (1.5, squitter(ADDRESS, identification("TEST1")))]
    decoded = Decoder().decode([(t, frame, None) for t, frame in frames])
    np.testing.assert_array_equal(decoded.column("alt_baro"), [12_000, 12_000, np.nan, np.nan])
    np.testing.assert_array_equal(decoded.column("gs"), [np.nan, np.nan, 500, np.nan])
    assert np.isnan(decoded.column("lat")).tolist() == [True, False, True, True]
    assert np.isnan(decoded.column("squawk")).all()
    assert decoded.address.tolist() == [ADDRESS] * 4
    assert decoded.messages()[3].flight == "TEST1"


def test_an_empty_batch():
    assert Decoder().decode([]).messages() == []
    assert Decoder().decode(FrameBatch.empty()).messages() == []


def test_memory_is_bounded_by_the_capacity():
    decoder = Decoder(capacity=1000)
    address = 1
    for second in range(40):
        frames = [(float(second), all_call(address + k), None) for k in range(500)]
        address += 500
        decoder.decode(frames)
        assert decoder.aircraft_count <= 1500
    # The newest are the ones that are kept.
    claims = [(40.0, reply(4, known, 0), None) for known in (address - 1, address - 500, 1)]
    assert [status == Status.GOOD for status in decoder.decode(claims).status] == [True, True, False]


def test_the_silent_are_forgotten_and_the_others_are_not():
    decoder = Decoder()
    decoder.decode([(0.0, all_call(1), None), (0.0, all_call(2), None)])
    for second in range(0, int(FORGET_S) + 60, 30):
        decoder.decode([(float(second), all_call(2), None)])
    assert decoder.aircraft_count == 1


def test_a_recording_that_begins_again_is_decoded_again():
    decoder = Decoder()
    frames = [(10_000.0 + k, squitter(ADDRESS, airborne_position(50.0, 8.0, k & 1))) for k in range(4)]
    earlier = [(t - 9000.0, squitter(ADDRESS, airborne_position(20.0, 8.0, k & 1))) for k, (t, _) in enumerate(frames)]
    assert len(positions(decode_frames(frames, decoder))) == 3
    assert len(positions(decode_frames(earlier, decoder))) == 3
