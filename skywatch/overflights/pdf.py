"""Overflights as a PDF to print: the area, the flights by hour, day and type, and a list of them.

Names and callsigns are anybody's: they are escaped where a paragraph would read markup, and characters that the font
lacks appear without their accents, or as a box. The same flights give the same bytes.
"""

from __future__ import annotations

import functools
import io
import unicodedata
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape
from zoneinfo import ZoneInfo

import numpy as np
from reportlab.graphics.shapes import Drawing, Group, Line, PolyLine, Rect, String
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import KeepTogether, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from skywatch.overflights.area import rings_of

FONT, BOLD = "Vera", "VeraBd"
BOX = "\N{WHITE SQUARE}"
# Flights that are listed, and types that are shown: beyond it, a line says how many there are.
MOST_FLIGHTS, MOST_TYPES = 1_000, 12
_INK, _FAINT, _DAY, _NIGHT = (colors.HexColor(code) for code in ("#1b2733", "#c9d2da", "#2f7ebc", "#27364d"))
_WIDTH = A4[0] - 36 * mm
_COLUMNS = ("Entered", "Callsign", "Type", "Address", "Lowest (ft)", "Nearest (nm)", "Night")


def pdf_of(title: str, flights: Sequence[dict[str, Any]], counted: dict[str, Any]) -> bytes:
    """The document of some flights, the newest first, and what is counted of them (``service.summary``)."""
    _glyphs()
    file = io.BytesIO()
    document = SimpleDocTemplate(
        file,
        pagesize=A4,
        invariant=1,
        title="Overflights",
        author="Skywatch",
        leftMargin=18 * mm,
        rightMargin=18 * mm,
        topMargin=16 * mm,
        bottomMargin=18 * mm,
    )
    head, heading, plain = (
        ParagraphStyle(name, fontName=font, fontSize=size, leading=size * 1.35, textColor=_INK, spaceBefore=before)
        for name, font, size, before in (("head", BOLD, 17, 0), ("heading", BOLD, 11, 10), ("plain", FONT, 9, 2))
    )
    zone = ZoneInfo(counted["timezone"])
    story: list[Any] = [
        Paragraph(escape(shown(title)), head),
        *(Paragraph(escape(shown(line)), plain) for line in _facts(flights, counted, zone)),
        Spacer(1, 4 * mm),
        _outline(counted["area"]),
    ]
    days = [(entry["day"][5:], entry["flights"], entry["night"]) for entry in counted["by_day"]]
    hours = [(f"{hour:02d}", number, 0) for hour, number in enumerate(counted["by_hour"])]
    for name, bars in (("By hour of the day", hours), ("By day (dark: in the night)", days)):
        story.append(KeepTogether([Paragraph(name, heading), _bars(bars)]))
    story.append(KeepTogether([Paragraph("By type", heading), *_types(counted["by_type"], plain)]))
    story.append(Paragraph("Flights", heading))
    story.append(Spacer(1, 2 * mm))
    story.append(_table(flights[:MOST_FLIGHTS], zone))
    if len(flights) > MOST_FLIGHTS:
        story.append(Paragraph(f"{len(flights) - MOST_FLIGHTS} more are in the CSV.", plain))
    document.build(story, onFirstPage=_foot, onLaterPages=_foot)
    return file.getvalue()


def shown(text: str) -> str:
    """A text in characters that the font has."""
    glyphs = _glyphs()
    result = []
    for character in text:
        if ord(character) in glyphs:
            result.append(character)
        elif unicodedata.category(character) in ("Mn", "Cf"):
            continue
        else:
            base = unicodedata.normalize("NFKD", character)[0]
            result.append(base if ord(base) in glyphs else " " if character.isspace() else BOX)
    return "".join(result)


@functools.cache
def _glyphs() -> frozenset[int]:
    """The characters of the font, which is registered; those that draw nothing are not among them."""
    for name in (FONT, BOLD):
        pdfmetrics.registerFont(TTFont(name, f"{name}.ttf"))
    found = pdfmetrics.getFont(FONT).face.charToGlyph
    return frozenset(code for code in found if unicodedata.category(chr(code)) not in ("Cc", "Cf", "Mn", "Co"))


def _facts(flights: Sequence[dict[str, Any]], counted: dict[str, Any], zone: ZoneInfo) -> list[str]:
    begin, end = (counted[name].astimezone(zone).strftime("%Y-%m-%d %H:%M") for name in ("from", "to"))
    ground = f" over the ground, which is at {counted['elevation_ft'] or 0:g} ft" if counted["over"] == "ground" else ""
    share = counted["night_share"]
    number = "1 flight" if len(flights) == 1 else f"{len(flights):,} flights"
    return [
        f"{begin} to {end} ({zone.key})",
        f"{number} below {counted['below_ft']:,g} ft{ground or ' over mean sea level'}"
        + ("" if share is None else f"; {share:.0%} in the night"),
        *(["Of simulated aircraft."] if counted.get("simulated") else []),
    ]


def _outline(area: dict[str, Any]) -> Drawing:
    """The area as it lies, with north up and a scale."""
    height = 46 * mm
    scales = np.array([np.cos(np.radians(area["lat"])), 1.0]) * 60.0
    rings = [(ring - (0.0, area["lat"])) * scales for ring in rings_of(area["geometry"], area["lon"])]
    every = np.concatenate(rings)
    low, high = every.min(axis=0), every.max(axis=0)
    size = np.maximum(high - low, 1e-6)
    scale = min(_WIDTH / size[0], (height - 8 * mm) / size[1])
    drawing = Drawing(_WIDTH, height)
    offset = np.array([0.0, 8 * mm])
    for ring in rings:
        places = ((ring - low) * scale + offset).flatten().tolist()
        drawing.add(PolyLine(places, strokeColor=_DAY, strokeWidth=1.2))
    middle = ((0.0 - low) * scale + offset).tolist()
    for dx, dy in ((3, 0), (0, 3)):
        drawing.add(Line(middle[0] - dx, middle[1] - dy, middle[0] + dx, middle[1] + dy, strokeColor=_INK))
    length = 10.0 ** np.floor(np.log10(max(size[0], 1e-3)))
    drawing.add(Line(0, 3 * mm, length * scale, 3 * mm, strokeColor=_INK))
    place = f"{length:g} nm; the middle is at {area['lat']:.4f}, {area['lon']:.4f}"
    drawing.add(String(length * scale + 6, 2 * mm, place, fontName=FONT, fontSize=7, fillColor=_INK))
    return drawing


def _bars(bars: Sequence[tuple[str, int, int]]) -> Drawing:
    """Bars side by side: a label, a number, and how much of it is dark."""
    height, base = 34 * mm, 5 * mm
    drawing = Drawing(_WIDTH, height)
    most = max((number for _, number, _ in bars), default=0) or 1
    step = _WIDTH / max(len(bars), 1)
    unit = (height - base - 5 * mm) / most
    drawing.add(Line(0, base, _WIDTH, base, strokeColor=_FAINT))
    every = max(1, -(-len(bars) // 24))
    for index, (label, number, dark) in enumerate(bars):
        column = Group()
        for size, color in ((number, _DAY), (dark, _NIGHT)):
            if size:
                column.add(
                    Rect(index * step + step * 0.15, base, step * 0.7, size * unit, fillColor=color, strokeColor=None)
                )
        style = {"fontName": FONT, "fontSize": 6, "textAnchor": "middle", "fillColor": _INK}
        if index % every == 0:
            column.add(String((index + 0.5) * step, 1 * mm, label, **style))
        if number and len(bars) <= 31:
            column.add(String((index + 0.5) * step, base + number * unit + 2, str(number), **style))
        drawing.add(column)
    return drawing


def _types(types: Sequence[dict[str, Any]], style: ParagraphStyle) -> list[Any]:
    """The most frequent types as bars on their side."""
    some = types[:MOST_TYPES]
    line = 4.6 * mm
    drawing = Drawing(_WIDTH, line * max(len(some), 1))
    most = max((entry["flights"] for entry in some), default=1)
    for index, entry in enumerate(some):
        y = line * (len(some) - 1 - index) + 1 * mm
        text = {"fontName": FONT, "fontSize": 8, "fillColor": _INK}
        drawing.add(String(0, y, shown(entry["type"] or "unknown"), **text))
        length = entry["flights"] / most * (_WIDTH - 40 * mm)
        drawing.add(Rect(18 * mm, y - 1, length, line * 0.6, fillColor=_DAY, strokeColor=None))
        drawing.add(String(20 * mm + length, y, str(entry["flights"]), **text))
    rest = sum(entry["flights"] for entry in types[MOST_TYPES:])
    return [drawing, *([Paragraph(f"{rest} of other types.", style)] if rest else [])]


def _table(flights: Sequence[dict[str, Any]], zone: ZoneInfo) -> Table:
    rows = [
        [
            flight["entered_at"].astimezone(zone).strftime("%Y-%m-%d %H:%M:%S"),
            shown(flight["callsign"] or ""),
            shown(flight["type"] or ""),
            flight["icao_hex"],
            f"{flight['lowest_ft']:,}",
            f"{flight['closest_nm']:.2f}",
            "yes" if flight["at_night"] else "",
        ]
        for flight in flights
    ]
    style = [
        ("FONT", (0, 0), (-1, 0), BOLD, 8),
        ("FONT", (0, 1), (-1, -1), FONT, 8),
        ("TEXTCOLOR", (0, 0), (-1, -1), _INK),
        ("ALIGN", (4, 0), (5, -1), "RIGHT"),
        ("LINEBELOW", (0, 0), (-1, -1), 0.3, _FAINT),
        ("TOPPADDING", (0, 0), (-1, -1), 1.5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
    ]
    widths = [width * _WIDTH for width in (0.24, 0.15, 0.1, 0.13, 0.14, 0.15, 0.09)]
    return Table([_COLUMNS, *rows], widths, style=TableStyle(style), repeatRows=1)


def _foot(canvas: Any, document: Any) -> None:
    canvas.setFont(FONT, 7)
    canvas.setFillColor(_INK)
    canvas.drawRightString(A4[0] - 18 * mm, 10 * mm, str(document.page))
    canvas.drawString(18 * mm, 10 * mm, "Skywatch: overflights as received here; heights by pressure, corrected.")
