"""The document to print: whatever names and callsigns contain, it is whole, shows them as they are and runs nothing."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from reportlab import rl_config

from skywatch.overflights import pdf
from skywatch.overflights.pdf import BOX, pdf_of, shown

BEGIN = datetime(2026, 6, 1, tzinfo=UTC)
RING = [[7.9, 46.9], [8.1, 46.9], [8.1, 47.1], [7.9, 47.1], [7.9, 46.9]]
# What is drawn of a text: its bytes between brackets.
DRAWN = re.compile(rb"\(((?:[^\\()]|\\.)*)\) Tj", re.DOTALL)
NASTY = (
    "<b>bold</b>",
    "<b",
    "</para>",
    "&lt; & &amp; &#0; &nope;",
    '<a href="https://example.org/">link</a>',
    '<img src="/etc/hostname"/>',
    "<font color=red>",
    ") Tj ET endstream endobj (",
    "\\",
    "\\)",
    "%PDF-1.4",
    "Ελλάδα Москва 東京 ירושלים القاهرة",
    "Zürich é Å ß",
    "\x00\x01\x07\x1b[31m\x7f\x80",
    "a\nb\r\nc\td",
    "\u202eevil\u202c \u2066x\u2069 \ufeff\u200b",
    "\U0001f6e9\ufe0f e\u0301 \ud800",
    "x" * 120,
)


def flight(number, text="SWR1"):
    return {
        "flight_id": number, "icao_hex": "4B1601", "callsign": text, "registration": text, "type": text,
        "entered_at": BEGIN + timedelta(minutes=number), "left_at": BEGIN + timedelta(minutes=number + 1),
        "lowest_ft": 1_200, "closest_nm": 0.5, "at_night": True, "military": False,
    }  # fmt: skip


def document(title="Village", flights=None, geometry=None):
    flights = [flight(1)] if flights is None else flights
    return pdf_of(
        title,
        flights,
        {
            "by_hour": [len(flights), *[0] * 23],
            "by_day": [{"day": "2026-06-01", "flights": len(flights), "night": len(flights)}],
            "by_type": [{"type": one["type"], "flights": 1} for one in flights[:20]],
            "night_share": 1.0 if flights else None,
            "area": {
                "geofence": 1, "name": title, "lat": 47.0, "lon": 8.0,
                "geometry": geometry or {"type": "Polygon", "coordinates": [RING]},
            },
            "from": BEGIN, "to": BEGIN + timedelta(days=1), "timezone": "Europe/Zurich", "below_ft": 3_000.0,
            "over": "sea", "elevation_ft": None,
        },
    )  # fmt: skip


@pytest.fixture
def readable(monkeypatch):
    """Documents whose pages are not compressed."""
    monkeypatch.setattr(rl_config, "pageCompression", 0)


def texts(made):
    """What is drawn, in order; characters that are not ASCII have codes of the font."""
    unescaped = (re.sub(rb"\\([()\\])", rb"\1", text) for text in DRAWN.findall(made))
    return [text.decode("latin-1") for text in unescaped]


def assert_is_whole(made):
    """Each object is where the table of objects says it is."""
    table = int(made.rsplit(b"startxref", 1)[1].split()[0])
    assert made[table:].startswith(b"xref")
    offsets = re.findall(rb"(\d{10}) 00000 n", made[table:])
    for number, offset in enumerate(offsets, 1):
        assert made[int(offset) :].startswith(b"%d 0 obj" % number)
    assert len(re.findall(rb"^\d+ 0 obj", made, re.MULTILINE)) == len(offsets)


def test_the_same_flights_give_the_same_bytes_at_any_time():
    one = document()
    assert one == document()
    assert b"/CreationDate (D:2000" in one
    assert_is_whole(one)


@pytest.mark.parametrize("text", NASTY)
def test_texts_of_anybody_neither_break_nor_inject(readable, text):
    made = document(text, [flight(1, text)])
    assert_is_whole(made)
    for instruction in (b"/URI", b"/Annots", b"/Subtype /Image", b"/JavaScript", b"/Launch"):
        assert instruction not in made
    # As often as for a plain text: its title, type, and a row.
    plain = document("x" * len(shown(text)), [flight(1)])
    assert made.count(b" 0 obj") == plain.count(b" 0 obj")
    if text.isascii() and text.isprintable():
        assert texts(made).count(text) >= 2


def test_markup_is_shown_as_it_was_written(readable):
    drawn = texts(document("<b>A & B</b>", [flight(1, "<i>&amp;")]))
    assert "<b>A & B</b>" in "".join(drawn), "in parts, on one line"
    assert drawn.count("<i>&amp;") == 3, "above the table and in it, as type and callsign"


def test_characters_that_the_font_lacks_lose_their_accents_or_are_boxes():
    assert shown("Zürich é Å") == "Zürich é Å"
    assert shown("Hà Nội") == "Hà Noi"
    assert shown("東京") == BOX * 2
    assert shown("a\nb\tc") == "a b c"
    assert shown("\x00\x1b\x7f") == BOX * 3
    assert shown("\u202ea\u200b\ufeff") == "a"


def test_a_document_without_flights_and_one_with_too_many_are_whole(readable, monkeypatch):
    assert_is_whole(document(flights=[]))
    monkeypatch.setattr(pdf, "MOST_FLIGHTS", 100)
    many = document(flights=[flight(number) for number in range(103)])
    assert_is_whole(many)
    assert "3 more are in the CSV." in texts(many)
    assert texts(many).count("4B1601") == 100
