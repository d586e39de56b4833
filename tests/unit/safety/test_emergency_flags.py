"""The emergency flag of SBS lines: it does not say which emergency, and one line is none."""

from collections import Counter

import pytest

from skywatch.picture.picture import Picture
from skywatch.receivers.formats.sbs import SbsDecoder
from tests.unit.safety.drawn import START, DrawnClock, found, of_type

HEAD = "1,1,4CA100,1,{at},{at}"
POSITION = f"MSG,3,{HEAD},,31000,,,47.5,8.6,,,{{flags}},0,0\r\n"
SQUAWK = f"MSG,6,{HEAD},,,,,,,,{{squawk}},{{flags}},0,0\r\n"


def skies(lines, seconds):
    """Skies of the lines that ``lines(second)`` gives."""
    clock = DrawnClock()
    picture, decoder = Picture(None, clock=clock, monotonic=clock), SbsDecoder(Counter())
    for second in range(seconds):
        clock.now = START + second
        text = "".join(lines(second)).replace("{at}", f"2026/11/20,08:{second // 60:02}:{second % 60:02}.000")
        batch = decoder.feed(text.encode(), clock.now)
        picture.put("sbs", batch.reports, batch.messages, batch.positions)
        yield picture.tick()


def events(lines, seconds=40):
    return of_type(found(skies(lines, seconds)), "emergency_squawk")


def position(flag=""):
    return POSITION.replace("{flags}", f",{flag}")


def squawk(code, flag):
    return SQUAWK.replace("{squawk}", code).replace("{flags}", f"0,{flag}")


def test_the_squawk_says_which_emergency_a_flag_is():
    [event] = events(lambda second: [position(), squawk("7600", "-1")])
    assert event.finding.severity == "warning"
    assert "radio failure" in event.finding.message


def test_one_line_with_the_flag_is_no_emergency():
    assert events(lambda second: [position(), *([squawk("1000", "-1")] if second == 5 else [])], 70) == []
    assert events(lambda second: [position("-1" if second == 5 else "")], 70) == []


def test_a_flag_alone_that_is_repeated_is_a_warning_of_unknown_kind():
    [event] = events(lambda second: [position("-1")])
    assert event.finding.severity == "warning"
    assert "unknown kind" in event.finding.message


@pytest.mark.parametrize("line", [lambda flag: [position(flag)], lambda flag: [position(), squawk("1000", flag)]])
def test_a_flag_that_is_not_set_any_more_clears_it(line):
    for sky in skies(lambda second: line("-1" if second < 20 else "0"), 30):
        state = sky.aircraft("4ca100").get("emergency")
    assert state == "none"


def test_a_flag_beside_a_squawk_received_before_is_that_of_the_squawk():
    *_, sky = skies(lambda second: [position("-1"), *([squawk("7600", "-1")] if second < 3 else [])], 10)
    assert sky.aircraft("4ca100")["emergency"] == "nordo"
