"""What is read off an envelope: a burst that carries an ACARS message, or the position of a frame that carries none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from skywatch.core.text.numbers import number_of

Source = Literal["acars", "vdl2", "hfdl", "inmarsat", "iridium"]
Direction = Literal["downlink", "uplink"]
_ADDRESS = re.compile(r"[0-9A-Fa-f]{6}")
_REGISTRATION = re.compile(r"[A-Z0-9-]{2,10}")
_PRINTABLE = re.compile(r"[^\x20-\x7e]")
_SUBLABEL = re.compile(r"(?:#([A-Z0-9]{2})B|- ?#([A-Z0-9]{2}))(?:/[A-Z0-9]{2} )?")
# Larger numbers are kHz, and larger ones yet Hz: see ``megahertz``.
FROM_KHZ, FROM_HZ = 1_900.0, 1_900_000.0
# Text beyond this is cut: no ACARS message comes near it (220 characters a block, 16 blocks).
MAX_TEXT = 16_384
EARLIEST, LATEST = datetime(1990, 1, 1, tzinfo=UTC).timestamp(), datetime(2100, 1, 1, tzinfo=UTC).timestamp()


class Burst(msgspec.Struct, frozen=True, kw_only=True):
    """One ACARS block as one station received it. ``at`` is unix seconds, None where the envelope has no usable time.

    ``sequence`` is the letter that numbers the parts of one text, ``more`` that further parts follow, ``is_whole``
    that the program has put the parts together: ``text`` is then all of it, and the letter that of its last part.
    """

    source: Source
    at: float | None
    station: str
    label: str
    frequency_mhz: float | None = None
    level_db: float | None = None
    icao_hex: str | None = None
    registration: str | None = None
    flight: str | None = None
    block_id: str | None = None
    message_number: str | None = None
    sequence: str | None = None
    more: bool = False
    is_whole: bool = False
    direction: Direction | None = None
    sublabel: str | None = None
    text: str = ""
    application: dict[str, Any] | None = None
    raw: dict[str, Any]


class FramePosition(msgspec.Struct, frozen=True, kw_only=True):
    """A frame without ACARS that has an aircraft's position (VDL2 XID, HFDL performance data)."""

    source: Source
    at: float | None
    icao_hex: str | None
    flight: str | None
    lat: float
    lon: float
    altitude_ft: int | None = None


def address(value: Any) -> str | None:
    """An ICAO address, upper case, from hexadecimal text or a whole number; None where it is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = f"{value:06X}" if 0 < value < 0xFFFFFF else ""
    if not isinstance(value, str) or not _ADDRESS.fullmatch(value.strip()):
        return None
    text = value.strip().upper()
    return None if text in ("000000", "FFFFFF") else text


def registration(value: Any) -> str | None:
    """A registration without the dots that pad it."""
    text = word(value, 10)
    if text is None:
        return None
    text = text.lstrip(".").strip().upper()
    return text if _REGISTRATION.fullmatch(text) else None


def word(value: Any, longest: int) -> str | None:
    """A short printable text, or None."""
    if not isinstance(value, str):
        return None
    text = _PRINTABLE.sub("", value).strip()[:longest]
    return text or None


def body(value: Any) -> str:
    """The text of a message: control characters other than line ends and lone surrogates are dropped."""
    if not isinstance(value, str):
        return ""
    if value.isprintable():
        return value[:MAX_TEXT]
    printable = [
        c for c in value[:MAX_TEXT] if c in "\r\n\t" or (c >= " " and not "\ud800" <= c <= "\udfff" and c != "\x7f")
    ]
    return "".join(printable)


def real(value: Any, least: float, most: float) -> float | None:
    """A finite number within bounds, also one that is written as text, or None."""
    number = number_of(value)
    return number if least <= number <= most else None


def megahertz(value: Any) -> float | None:
    """A frequency in MHz from MHz, kHz or Hz; 0 is what decoders write where they do not know it.

    ACARS is sent on 2 to 30 MHz, 117 to 150 MHz and 1.5 to 1.7 GHz, which are told apart in any of the three units.
    """
    number = real(value, 0.001, 1e11)
    if number is None:
        return None
    return round(number if number < FROM_KHZ else number / 1e3 if number < FROM_HZ else number / 1e6, 6)


def unix(value: Any) -> float | None:
    """Unix seconds from seconds, milli-, micro- or nanoseconds, from ``{sec, usec}``, or from ISO 8601 (UTC)."""
    if isinstance(value, Mapping):
        whole, micro = real(value.get("sec"), EARLIEST, LATEST), real(value.get("usec", 0), 0, 1e6)
        return None if whole is None else whole + (micro or 0.0) / 1e6
    number = number_of(value)
    for unit in (1.0, 1e3, 1e6, 1e9):
        if EARLIEST <= number / unit <= LATEST:
            return number / unit
    return _iso(value) if isinstance(value, str) and len(value) <= 40 else None


def _iso(text: str) -> float | None:
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    seconds = (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp()
    return seconds if EARLIEST <= seconds <= LATEST else None


def split_sublabel(label: str, text: str) -> tuple[str | None, str]:
    """The sublabel in front of the text of an H1 message, which many programs leave there, and the text behind it.

    ``#M1B`` from aircraft, ``- #MD`` to them, and then perhaps a message function identifier such as ``/B6 ``
    (ARINC 620).
    """
    match = _SUBLABEL.match(text) if label == "H1" else None
    return (None, text) if match is None else (match[1] or match[2], text[match.end() :])


def position(lat: Any, lon: Any) -> tuple[float, float] | None:
    """A place on the Earth; 180/180 and 0/0 are how programs write none."""
    north, east = real(lat, -90, 90), real(lon, -180, 180)
    return None if north is None or east is None or (north == 0 and east == 0) else (north, east)


def block_direction(block_id: str | None) -> Direction | None:
    """Blocks from aircraft are numbered by digits, those to aircraft by letters (ARINC 618)."""
    if not block_id:
        return None
    return "downlink" if block_id.isdigit() else "uplink" if block_id.isalpha() else None


def number_and_sequence(value: Any) -> tuple[str | None, str | None]:
    """``M55A`` as message number ``M55`` and sequence ``A``."""
    text = word(value, 8)
    if text is None:
        return None, None
    letter = sequence(text[-1])
    return (text[:-1], letter) if len(text) == 4 and letter else (text, None)


def sequence(value: Any) -> str | None:
    """The letter of a part."""
    text = word(value, 1)
    return text if text is not None and "A" <= text <= "Z" else None
