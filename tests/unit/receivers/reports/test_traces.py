"""Traces of readsb of which something is missing, damaged or written in another way."""

import json
from collections import Counter
from io import BytesIO

import pytest

from skywatch.receivers.reports import traces

DETAILS = {"flight": "SWR12   ", "squawk": "1000"}
ENTRIES = [[n, 47.0 + n / 100, 8.0, 30_000 + n, 400.0, 90.0, 0, 64, DETAILS, "adsb_icao", 30_500] for n in range(20)]
TRACE = {"icao": "4ca300", "r": "HB-JXA", "t": "A320", "timestamp": 1_795_000_000.0, "trace": ENTRIES}


def read(content):
    invalid = Counter()
    trace = traces.read_stream(BytesIO(content if isinstance(content, bytes) else json.dumps(content).encode()), "a")
    return list(traces.reports(trace, invalid)), invalid


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [("r", 1234, "1234"), ("t", None, None), ("year", 2015, "2015"), ("dbFlags", "1", 1), ("desc", ["x"], None)],
)
def test_a_bad_member_does_not_refuse_the_trace(name, value, expected):
    reports, _ = read({**TRACE, name: value})
    assert len(reports) == 20
    assert (getattr(reports[0], name) or None) == expected


@pytest.mark.parametrize("bad", [None, 17, "x", {}, [], [5], [5, "a", 8, 0, 0, 0, 0], [5, None, 8.0, 1, 1, 1, 0]])
def test_a_bad_entry_is_counted_and_the_others_are_read(bad):
    reports, invalid = read({**TRACE, "trace": [*ENTRIES[:5], bad, *ENTRIES[6:]]})
    assert [report.alt_baro - 30_000 for report in reports] == [*range(5), *range(6, 20)]
    assert invalid == {"entry": 1}


def test_numbers_may_be_texts_and_flags_missing():
    entry = ["5", "47.05", "8.0", "30005.4", "400.5", "450", None, "64", {"flight": "GAF 612 "}, "ADSB_ICAO", "30500"]
    (report,), invalid = read({**TRACE, "trace": [entry]})
    assert (report.lat, report.alt_baro, report.gs, report.track) == (47.05, 30_005, 400.5, 90.0)
    assert (report.flight, report.type, report.baro_rate, report.alt_geom) == ("GAF 612", "adsb_icao", 64, 30_500)
    assert not +invalid


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ('"HB-JXA"', '"HB-\x01JXA"', 0),
        ('}, "adsb_icao", 30500], [1,', '}, "adsb_icao", 30500] [1,', 0),
        ("[7, 47.07", "[7, , 47.07", 1),
        ("[7, 47.07", "7, 47.07", 1),
        ("30007", "3000\x007", 0),
        ("]]}", "]", 0),
        ("]]}", "]]}]}", 0),
    ],
)
def test_what_stands_around_damage_is_read(before, after, lost):
    text = json.dumps(TRACE)
    assert before in text
    reports, _ = read(text.replace(before, after, 1).encode())
    assert len(reports) >= 20 - lost


def test_a_trace_that_is_cut_off_is_read_up_to_there():
    whole = json.dumps(TRACE).encode()
    for length in range(len(whole) // 2, len(whole), 7):
        begun = whole[:length].count(b"adsb_icao")
        assert abs(len(read(whole[:length])[0]) - begun) <= 1


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"icao":"4ca300","trace":5}', b'{"trace":[]}', b"\x00" * 99])
def test_what_is_no_trace_is_refused(content):
    with pytest.raises(traces.TraceError):
        read(content)


@pytest.mark.parametrize("flags", ["1e999", "-1", "99999999999999999999", "null"])
def test_flags_that_are_none_set_none(flags):
    text = json.dumps(TRACE).replace("90.0, 0, 64", f"90.0, {flags}, 64", 1)
    reports, _ = read(text.encode())
    assert len(reports) == 20
    assert reports[0].baro_rate == 64
