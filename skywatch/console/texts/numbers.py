"""Numbers and sizes as the four languages write them (CLDR)."""

from __future__ import annotations

# Sign between thousands, sign before decimals.
SIGNS = {"en": (",", "."), "de": (".", ","), "fr": ("\u202f", ","), "es": (".", ",")}
UNITS = {"fr": ("octets", "ko", "Mo", "Go", "To", "Po")}
BYTES = ("B", "kB", "MB", "GB", "TB", "PB")
STEP = 1000
# Spanish separates the thousands of five digits and more only.
MIN_SEPARATED = {"es": 10_000}


def write_number(value: float, digits: int, language: str) -> str:
    """A number rounded to so many decimals."""
    text = f"{value:,.{digits}f}"
    if language == "en":
        return text
    thousands, point = SIGNS[language]
    if abs(value) < MIN_SEPARATED.get(language, 0):
        text = text.replace(",", "")
    return text.translate({ord(","): thousands, ord("."): point})


def write_size(count: float, language: str) -> str:
    """A number of bytes in the largest unit of which there is at least one."""
    units = UNITS.get(language, BYTES)
    at = 0
    while count >= STEP and at < len(units) - 1:
        count /= STEP
        at += 1
    return f"{write_number(count, 1 if at else 0, language)} {units[at]}"
