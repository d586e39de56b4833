"""SBS lines: every type, what senders make of the columns, and what is refused."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec import UNSET

from skywatch.receivers.formats.sbs import SbsDecoder, SbsLine, stamp
from skywatch.receivers.reports.report import Report

HEAD = "1,1,4B1A23,1,2018/04/03,19:02:28.136,2018/04/03,19:02:28.436"
ARRIVED = 1_800_000_000.0
SET_FLAG = {"type": "mode_s", "alert": 0, "spi": 0}


def read(line: str) -> tuple[Report | None, Counter[str]]:
    invalid: Counter[str] = Counter()
    return SbsLine(invalid).read(line.encode("latin-1"))[0], invalid


def said(line: str) -> dict[str, object]:
    report, invalid = read(line)
    assert report is not None
    assert not invalid
    ours = ("hex", "at", "position_at", "snapshot", "messages")
    values = {name: getattr(report, name) for name in report.__struct_fields__ if name not in ours}
    return {name: value for name, value in values.items() if value is not UNSET}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"MSG,1,{HEAD},SWR8    ,,,,,,,,,,,", {"type": "adsb_icao", "flight": "SWR8"}),
        (
            f"MSG,2,{HEAD},,0,7.5,310,47.4,8.5,,,,,,-1",
            {"type": "adsb_icao", "alt_baro": "ground", "gs": 7.5, "track": 310, "lat": 47.4, "lon": 8.5},
        ),
        (
            f"MSG,3,{HEAD},,33000,,,59.7,31.5,,,0,,0,0",
            {"type": "adsb_icao", "alt_baro": 33000, "lat": 59.7, "lon": 31.5, "alert": 0, "spi": 0},
        ),
        (f"MSG,3,{HEAD},,33000H,,,,,,,,,,0", {"type": "adsb_icao", "alt_geom": 33000}),
        (
            f"MSG,4,{HEAD},,,514.4,64.7,,,-640,,,,,0",
            {"type": "adsb_icao", "gs": 514.4, "track": 64.7, "baro_rate": -640},
        ),
        (f"MSG,5,{HEAD},,5850,,,,,,,0,0,-1,0", SET_FLAG | {"alt_baro": 5850, "emergency": "none", "spi": 1}),
        (
            f"MSG,6,{HEAD},,,,,,,,7700,-1,-1,0,",
            {"type": "mode_s", "squawk": "7700", "alert": 1, "emergency": "general", "spi": 0},
        ),
        (f"MSG,6,{HEAD},,,,,,,,7600,0,-1,0,", SET_FLAG | {"squawk": "7600", "emergency": "nordo"}),
        (f"MSG,6,{HEAD},,,,,,,,7500,0,-1,0,", SET_FLAG | {"squawk": "7500", "emergency": "unlawful"}),
        # The flag alone does not say which emergency it is.
        (f"MSG,6,{HEAD},,,,,,,,1200,0,-1,0,", SET_FLAG | {"squawk": "1200", "emergency": "unknown"}),
        (f"MSG,5,{HEAD},,5850,,,,,,,0,-1,0,", SET_FLAG | {"alt_baro": 5850, "emergency": "unknown"}),
        (f"MSG,6,{HEAD},,,,,,,,113,0,0,0,", SET_FLAG | {"squawk": "0113", "emergency": "none"}),
        (f"MSG,6,{HEAD},,,,,,,,7700,0,,0,", SET_FLAG | {"squawk": "7700"}),
        (f"MSG,7,{HEAD},,6425,,,,,,,,,,", {"type": "mode_s", "alt_baro": 6425}),
        (f"MSG,8,{HEAD},,,,,,,,,,,,", {"type": "mode_s"}),
        (f"MSG,8,{HEAD}", {"type": "mode_s"}),
        ("MSG,8,,,4B1A23", {"type": "mode_s"}),
        # readsb's own MLAT output: number of receivers and error estimate in the columns of the flags.
        (
            f"MSG,3,{HEAD},,33000,,,59.7,31.5,,,5,12,,",
            {"type": "mlat", "alt_baro": 33000, "lat": 59.7, "lon": 31.5, "mlat": ["lat", "lon"]},
        ),
        (
            f"MLAT,3,{HEAD},,33000,450,12,59.7,31.5,,,,,,",
            {
                "type": "mlat",
                "alt_baro": 33000,
                "gs": 450,
                "track": 12,
                "lat": 59.7,
                "lon": 31.5,
                "mlat": ["lat", "lon"],
            },
        ),
    ],
)
def test_each_type(line: str, expected: dict[str, object]) -> None:
    assert said(line) == expected


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (f"MSG,6,{HEAD},,,,,,,,d276,,,,", "squawk"),
        (f"MSG,6,{HEAD},,,,,,,,11919,,,,", "squawk"),
        (f"MSG,1,{HEAD},????????,,,,,,,,,,,", "flight"),
        (f"MSG,3,{HEAD},,high,,,,,,,,,,", "altitude"),
        (f"MSG,3,{HEAD},,nan,,,,,,,,,,", "altitude"),
        (f"MSG,3,{HEAD},,H,,,,,,,,,,", "altitude"),
        (f"MSG,3,{HEAD},,,,,91,8,,,,,,", "lat"),
        (f"MSG,3,{HEAD},,,,,47,inf,,,,,,", "lon"),
        (f"MSG,3,{HEAD},,,,,47,,,,,,,", "position"),
        (f"MSG,3,{HEAD},,,,,0,0,,,,,,", "position"),
        (f"MSG,4,{HEAD},,,-5,,,,,,,,,", "gs"),
        (f"MSG,4,{HEAD},,,,361,,,,,,,,", "track"),
        (f"MSG,4,{HEAD},,,,,,,1e9,,,,,", "baro_rate"),
        (f"MSG,5,{HEAD},,5850,,,,,,,yes,,,", "alert"),
        (f"MSG,5,{HEAD},,5850,,,,,,,,,,maybe", "ground"),
    ],
)
def test_only_the_bad_column_goes(line: str, reason: str) -> None:
    report, invalid = read(line)
    assert report is not None
    assert report.lat is UNSET
    assert dict(invalid) == {reason: 1}


@pytest.mark.parametrize(
    ("line", "invalid"),
    [
        ("MSG,3,1,1,XYZ,1", {"hex": 1}),
        ("MSG,3,1,1,000000,1", {"hex": 1}),
        ("MSG,9,1,1,4B1A23,1", {"line": 1}),
        ("MSG,3", {"line": 1}),
        ("garbage", {"line": 1}),
        ("GET / HTTP/1.1", {"line": 1}),
        ("AIR,,1,1,4B1A23,1,2018/04/03,19:02:28.136,2018/04/03,19:02:28.136", {}),
        ("STA,,1,1,4B1A23,1,2018/04/03,19:02:28.136,2018/04/03,19:02:28.136,RM", {}),
        ("ID,,1,1,4B1A23,1,2018/04/03,19:02:28.136,2018/04/03,19:02:28.136,SWR8", {}),
    ],
)
def test_other_records_are_left_alone_and_garbage_is_counted(line: str, invalid: dict[str, int]) -> None:
    report, counted = read(line)
    assert report is None
    assert dict(counted) == invalid


def test_keep_alives_one_byte_chunks_and_over_long_lines() -> None:
    stream = f"\r\n\r\nMSG,1,{HEAD},SWR8,,,,,,,,,,,\r\n{'x' * 5000}\r\nMSG,8,{HEAD},,,,,,,,,,,,\r\n\r\n".encode()
    invalid: Counter[str] = Counter()
    decoder = SbsDecoder(invalid)
    heard = [decoder.feed(stream[at : at + 1], ARRIVED) for at in range(len(stream))]
    assert [report.type for one in heard for report in one.reports] == ["adsb_icao", "mode_s"]
    assert dict(invalid) == {"too_long": 1}
    whole = SbsDecoder(Counter()).feed(stream, ARRIVED)
    assert whole.messages == 2


def test_the_senders_clock_is_not_believed() -> None:
    decoder = SbsDecoder(Counter())
    line = "MSG,3,1,1,4B1A23,1,2018/04/03,19:02:{:06.3f},,,,33000,,,47,8,,,,,,0\r\n"
    (first,) = decoder.feed(line.format(10).encode(), ARRIVED).reports
    assert first.at == first.position_at == ARRIVED
    # What was held up on its way is as old as it is.
    (late,) = decoder.feed(line.format(11).encode(), ARRIVED + 4).reports
    assert late.at == pytest.approx(ARRIVED + 1, abs=0.3)
    (absurd,) = decoder.feed(b"MSG,3,1,1,4B1A23,1,2099/99/03,19:02:11.000,,,,33000\r\n", ARRIVED + 5).reports
    assert absurd.at == ARRIVED + 5


@pytest.mark.parametrize(
    ("date", "clock", "expected"),
    [
        ("2018/04/03", "19:02:28.136", 1522782148.136),
        ("2018/04/03", "00:00:00", 1522713600.0),
        ("2018/13/03", "19:02:28.136", None),
        ("2018/04/03", "25:02:28.136", None),
        ("2018/04/03", "", None),
        ("", "19:02:28.136", None),
        ("2018/04/03", "19:02:nan", None),
    ],
)
def test_stamps(date: str, clock: str, expected: float | None) -> None:
    assert stamp(date, clock) == (pytest.approx(expected) if expected is not None else None)


def test_all_of_a_receiver_marked_as_multilateration_is():
    # mlat-server's own output is like this; without the number of receivers nothing in it says where it comes from.
    line = f"MSG,3,{HEAD},,33000,,,59.7,31.5,,,,,,\n".encode()
    plain = SbsDecoder(Counter()).feed(line, ARRIVED).reports[0]
    marked = SbsDecoder(Counter(), is_mlat=True).feed(line, ARRIVED).reports[0]
    assert (plain.type, marked.type, marked.mlat) == ("adsb_icao", "mlat", ["lat", "lon"])


def test_a_byte_order_mark_loses_no_line() -> None:
    assert said(f"\xef\xbb\xbfMSG,6,{HEAD},,,,,,,,7700,0,,0,") == SET_FLAG | {"squawk": "7700"}


def test_one_reply_on_the_ground_is_not_believed_and_a_squitter_is() -> None:
    reader = SbsLine(Counter())
    reply, squitter = f"MSG,5,{HEAD},,30000,,,,,,,0,0,0,%s", f"MSG,3,{HEAD},,30000,,,,,,,0,0,0,%s"
    lines = [reply % 0, reply % -1, reply % 0, reply % -1, reply % -1, squitter % 0, squitter % -1]
    reports = [reader.read(line.encode())[0] for line in lines]
    assert [report and report.alt_baro for report in reports] == [30000] * 4 + ["ground", 30000, "ground"]


def test_a_flag_that_cannot_be_read_says_nothing() -> None:
    line = "MSG,3,1,1,4B1A23,1,2026/01/01,12:00:00.000,2026/01/01,12:00:00.000,,37000,,,47.5,8.5,,7700,x,7,y,z"
    report, invalid = read(line)
    assert (report.alert, report.emergency, report.spi) == (UNSET, UNSET, UNSET)
    assert report.alt_baro == 37_000
    assert invalid == {"alert": 1, "emergency": 1, "spi": 1, "ground": 1}
