"""Files of airframe databases become rows; what cannot be right is refused with its line."""

import pytest

from skywatch.airframes.importers import opensky, tar1090
from skywatch.airframes.importers.airframe_row import Refused, Row
from skywatch.airframes.models import INTERESTING, LADD, MILITARY, PIA

ALL_BUT_PIA = MILITARY | INTERESTING | LADD


def test_tar1090_lines_become_rows():
    lines = [
        "004002;Z-WPA;B732;00;BOEING 737-200;;;\n",
        "adfeb3;05-1932;GLF5;1101;GULFSTREAM C-37;2005;United States Air Force;\n",
        "\n",
        "A00001;N1;;0011;;0000;;\r\n",
        '48479B;PH-726;GLID;00;Grob G102 "CLUB ASTIR III B";;;\n',
    ]
    assert list(tar1090.rows(lines)) == [
        Row("004002", "Z-WPA", "B732", "BOEING 737-200", "", "", 0, 0),
        Row("ADFEB3", "05-1932", "GLF5", "GULFSTREAM C-37", "", "United States Air Force", 2005, ALL_BUT_PIA),
        Row("A00001", "N1", "", "", "", "", 0, PIA | LADD),
        Row("48479B", "PH-726", "GLID", 'Grob G102 "CLUB ASTIR III B"', "", "", 0, 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("00400;Z-WPA;B732;00;BOEING;;;", "not an ICAO address"),
        ("00400G;Z-WPA;B732;00;BOEING;;;", "not an ICAO address"),
        ("004002,Z-WPA,B732,00", "has 1 fields, expected 5 to 9"),
        ("004002;Z-WPA;B732;2;BOEING;;;", "the flags are not zeros and ones"),
        ("004002;Z-WPA;B732BOEING737;00;BOEING;;;", "type_code is longer than 8 characters"),
        (b"004002;Z-W\xff;B732;00;BOEING;;;".decode("utf-8", "surrogateescape"), "is not UTF-8 text"),
    ],
)
def test_a_line_that_cannot_be_right_is_refused_and_the_next_one_read(line, reason):
    good = "004004;Z-WPC;B732;00;;;;"
    assert list(tar1090.rows([good, line, good]))[1] == Refused(2, reason)
    assert [type(row) for row in tar1090.rows([good, line, good])] == [Row, Refused, Row]


def test_invisible_marks_are_left_out():
    (row,) = tar1090.rows(["145FD8;RA-24536\u200e\u200e;MI8;00;;;;"])
    assert row.registration == "RA-24536"


OLD = """"icao24","registration","manufacturericao","manufacturername","model","typecode","owner","operator","built"
"","","","","","","","",""
"4b1620","HB-IJS","AIRBUS","Airbus","A320 214","A320","Swiss, International","Swiss","1998-05-01"
"aa3487","N757F","RAYTHEON AIRCRAFT COMPANY","Raytheon","Raytheon A36","BE36","","",""
"xyz","N1","","","","","","",""
"aa3488","N1"
"""
NEW = """'icao24','timestamp','built','manufacturerName','model','operator','owner','registration','typecode'
'4b1620','2024-01-01 00:00:00','1998','Airbus','A320 214','Swiss','Swiss "Int"','HB-IJS','A320'
"""


def test_opensky_old_and_new_files_are_read_by_their_header():
    old = list(opensky.rows(OLD.splitlines(keepends=True)))
    assert old == [
        Row("4B1620", "HB-IJS", "A320", "Airbus A320 214", "Swiss", "Swiss, International", 1998, 0),
        Row("AA3487", "N757F", "BE36", "Raytheon A36", "", "", 0, 0),
        Refused(5, "not an ICAO address"),
        Refused(6, "has 2 fields, the header 9"),
    ]
    assert list(opensky.rows(NEW.splitlines(keepends=True))) == [
        Row("4B1620", "HB-IJS", "A320", "Airbus A320 214", "Swiss", 'Swiss "Int"', 1998, 0)
    ]


def test_what_is_not_opensky_is_refused_as_a_whole():
    with pytest.raises(ValueError, match="icao24"):
        list(opensky.rows(["004002;Z-WPA;B732;00;BOEING;;;"]))
