"""Resolution advisories from raw frames: made by our encoder, checked by a second reader, judged as a recording."""

import gzip
from collections import Counter

import pytest

from skywatch.receivers.mode_s.encoder import (
    airborne_position,
    beast,
    identification,
    reply,
    reply_altitude_code,
    squitter,
    velocity,
)
from skywatch.safety.playback.offline import judge
from skywatch.safety.playback.sources import read

ADDRESS, THREAT = 0x4B1801, 0x4B1802
TICKS = 12_000_000
# Corrective, upward, and the terminated bit: places of the 56-bit message (ICAO Annex 10 volume IV, 4.3.8.4.2.2).
CLIMB, TERMINATED = (9, 10), 27


def message(head_bits, bits, threat=THREAT):
    """An advisory: type code and subtype, or the number of the register, and the bits that are set."""
    content = head_bits
    for place in (*bits, 14 + 1):
        content |= 1 << (56 - place)
    return content | 1 << (56 - 30) | threat << 2


def squitter_me(*bits):
    return message(28 << 51 | 2 << 48, bits)


def register(*bits):
    return message(0x30 << 48, bits)


def status(version):
    """An operational status that tells the version of ADS-B (DO-260B 2.2.3.2.7.2)."""
    return 31 << 51 | version << (56 - 43)


def second_reader(frame):
    """Reads an advisory from a frame by the places of ICAO's figure, without our decoder."""
    bits = "".join(f"{byte:08b}" for byte in frame)
    me = bits[32:88]
    head = me[:8]
    return {
        "is_advisory": head == "11100010" if bits[:5] == "10001" else head == "00110000",
        "ara": me[8:15],
        "terminated": me[26] == "1",
        "threat": int(me[30:54], 2) if me[28:30] == "01" else None,
    }


def traffic(seconds, version=2):
    """The two aircraft in flight: positions twice a second, and once a second the rest."""
    for half in range(seconds * 2):
        for number, address in enumerate((ADDRESS, THREAT)):
            t = half / 2 + 0.01 * number
            position = airborne_position(47 + 0.05 * number, 8 + 0.0005 * half, half % 2, 20_000)
            yield t, squitter(address, position)
            yield t + 0.1, squitter(address, velocity(250, 0))
            yield t + 0.2, squitter(address, identification(f"TEST{number}"))
            yield t + 0.25, squitter(address, status(version))


def events(tmp_path, frames):
    path = tmp_path / "frames.beast.gz"
    timed = sorted(frames)
    path.write_bytes(gzip.compress(b"".join(beast(frame, round(t * TICKS) + 1) for t, frame in timed)))
    ticks: list[float] = []
    events_ = list(
        judge(read([str(path)], (47.0, 8.0), Counter()), (47.0, 8.0), on_tick=lambda sky: ticks.append(sky.now))
    )
    # The first tick is a second after the first frame.
    return [event for event in events_ if event.finding.type == "acas_ra"], ticks[0] - 1.0


def squitters(*times, bits=CLIMB):
    return [(t, squitter(ADDRESS, squitter_me(*bits))) for t in times]


def replies(*times, bits=CLIMB):
    code = reply_altitude_code(20_000)
    return [(t, reply(20, ADDRESS, code, register=register(*bits))) for t in times]


@pytest.mark.parametrize("make", [squitters, replies])
def test_the_frames_are_what_the_second_reader_expects(make):
    for bits, terminated in ((CLIMB, False), ((*CLIMB, TERMINATED), True)):
        [(_, frame)] = make(0.0, bits=bits)
        read = second_reader(frame)
        assert read == {"is_advisory": True, "ara": "1100001", "terminated": terminated, "threat": THREAT}


@pytest.mark.parametrize("make", [squitters, replies])
def test_two_frames_raise_an_advisory_within_three_seconds_and_silence_ends_it(tmp_path, make):
    [event], start = events(tmp_path, [*traffic(60), *make(20.3, 21.3, 22.3)])
    assert 21.3 <= event.began_at - start <= 24.3
    assert event.finding.severity == "critical"
    assert event.finding.hexes == (f"{ADDRESS:06x}", f"{THREAT:06x}")
    assert "Climb" in event.finding.message
    assert 16 <= event.ended_at - event.began_at <= 24


def test_one_frame_alone_raises_nothing(tmp_path):
    assert events(tmp_path, [*traffic(40), *squitters(20.3)])[0] == []


def test_two_frames_far_apart_raise_nothing(tmp_path):
    assert events(tmp_path, [*traffic(50), *squitters(20.3, 40.3)])[0] == []


@pytest.mark.deep("costs over a processor second")
def test_the_terminated_bit_ends_an_advisory_at_once_and_raises_none(tmp_path):
    ended = squitters(26.3, 27.3, 28.3, bits=(*CLIMB, TERMINATED))
    [event], _ = events(tmp_path, [*traffic(60), *squitters(20.3, 21.3, 22.3), *ended])
    assert event.ended_at - event.began_at <= 7
    assert events(tmp_path, [*traffic(50), *ended])[0] == []


def test_versions_before_two_have_no_such_message(tmp_path):
    assert events(tmp_path, [*traffic(50, version=1), *squitters(20.3, 21.3, 22.3)])[0] == []
