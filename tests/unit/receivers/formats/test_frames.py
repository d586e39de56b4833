"""What frames mean to the picture."""

from collections import Counter

import pytest

from skywatch.receivers.factory import open_receiver
from skywatch.receivers.formats.frames import FrameReports
from skywatch.receivers.framing.frames import FrameBatch
from skywatch.receivers.mode_s.encoder import airborne_position, all_call, reply, reply_altitude_code, squitter
from skywatch.settings import SettingsError
from tests.unit.picture.reports import START, Clock, picture_at

ADDRESS = 0x4B1620
ON_GROUND, AIRBORNE = 4, 5


def shown(*frames: bytes) -> dict:
    clock = Clock()
    picture = picture_at(clock)
    timed = [(START + number / 10, frame, None) for number, frame in enumerate(frames)]
    heard = FrameReports(None, Counter()).decode(FrameBatch.of_tuples(timed))
    clock.advance(len(frames) / 10)
    picture.put("raw", heard.reports, heard.messages)
    return picture.tick().aircraft("4b1620")


@pytest.mark.parametrize(
    "frame",
    [
        all_call(ADDRESS, capability=ON_GROUND),
        reply(4, ADDRESS, reply_altitude_code(1500), status=1),
        reply(5, ADDRESS, 0x0808, status=3),
    ],
    ids=["DF11", "DF4", "DF5"],
)
def test_a_reply_from_the_ground_puts_the_aircraft_on_the_ground(frame):
    aircraft = shown(all_call(ADDRESS), frame, frame)
    assert (aircraft["on_ground"], aircraft["alt_baro"]) == (True, "ground")


def test_an_altitude_from_the_air_takes_it_off_again():
    aircraft = shown(
        all_call(ADDRESS, capability=ON_GROUND), all_call(ADDRESS), reply(4, ADDRESS, reply_altitude_code(2000))
    )
    assert (aircraft["on_ground"], aircraft["alt_baro"]) == (False, 2000)


def test_a_position_in_the_air_is_believed_before_a_reply():
    position = squitter(ADDRESS, airborne_position(47.5, 8.5, 0, 3000))
    aircraft = shown(all_call(ADDRESS), position, reply(4, ADDRESS, reply_altitude_code(3000), status=1))
    assert (aircraft["on_ground"], aircraft["alt_baro"]) == (False, 3000)


@pytest.mark.parametrize(("text", "kind"), [("beast host:30105 mlat", "mlat"), ("beast host:30105", "adsb_icao")])
def test_all_of_a_receiver_marked_as_multilateration_is(text, kind):
    frames = (squitter(ADDRESS, airborne_position(47.5, 8.5, odd, 3000)) for odd in (0, 1))
    data = b"".join(b"\x1a3" + (bytes(7) + frame).replace(b"\x1a", b"\x1a\x1a") for frame in frames)
    decoder = open_receiver("mlat", text, None).decoder()
    (report, *_) = decoder.feed(data, START).reports
    assert report.type == kind


@pytest.mark.parametrize("text", ["beast host:1 mlat=yes", "sbs host:1 mlt", "avr host:1 mlat mlat", "sbs"])
def test_a_wrong_option_is_named(text):
    with pytest.raises(SettingsError, match=r"receiver\.mlat"):
        open_receiver("mlat", text, None)
