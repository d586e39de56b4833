"""Formats columns of whole numbers as columns of JSON text, by look-up in tables."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.history.records import Text
from skywatch.history.storage.points import GAP_S, UNKNOWN

Numbers = npt.NDArray[Any]

DEGREES_WIDTHS = (4, 8)
WHOLE_WIDTH = 12
SMALL_WIDTH = 6
TENTHS_WIDTH = 4
TIME_WIDTHS = (19, 4)
BOOLEAN_WIDTH = 5

_A_DEGREE = 100_000
_MAX_DEGREES = 1000
# Heights that aircraft reach (ft); others are formatted too, but more slowly.
_USUAL = (-20_000, 140_000)
_MAX_SMALL = np.iinfo(np.int16).max
_A_SECOND = 100


def degrees(grid: Numbers) -> tuple[Text, Text]:
    """Degrees with up to five decimals from multiples of 1e-5: the whole part, and the point with what follows."""
    size = np.abs(grid).astype(np.int32)
    whole = size // _A_DEGREE
    rest = size - whole * _A_DEGREE
    return _whole_degrees().take(whole + _MAX_DEGREES * (grid < 0), mode="clip"), _fractions().take(rest)


def whole(numbers: Numbers) -> Text:
    """Whole numbers of up to twelve characters."""
    least, most = _USUAL
    if len(numbers) and least <= numbers.min() and numbers.max() < most:
        return _usual_heights().take(numbers - least)
    different, index = np.unique(numbers, return_inverse=True)
    return different.astype(f"S{WHOLE_WIDTH}")[index]


def small(numbers: Numbers) -> Text:
    """Whole numbers of 16 bits from 0 on; null for ``points.UNKNOWN``."""
    return _small().take(numbers.astype(np.int64) - UNKNOWN)


def tenths(numbers: Numbers) -> Text:
    """Numbers with one decimal from multiples of 0.1, from 0 to ``points.GAP_S``."""
    return _tenths().take(numbers)


def times(ticks: Numbers) -> tuple[Text, Text]:
    """Times in 10 ms since the unix epoch as ``core.clock.to_iso`` writes them without Z: the second, the rest."""
    seconds, rest = np.divmod(ticks, _A_SECOND)
    return np.datetime_as_string(seconds.astype("M8[s]")).astype("S19"), _hundredths().take(rest)


def booleans(which: Numbers) -> Text:
    """true or false."""
    return np.where(which, b"true", b"false")


@lru_cache(1)
def _whole_degrees() -> Text:
    return np.array([sign + b"%d" % number for sign in (b"", b"-") for number in range(_MAX_DEGREES)], "S4")


@lru_cache(1)
def _fractions() -> Text:
    """The point and five digits without the zeros at the end, but for the first."""
    digits = np.arange(_A_DEGREE)[:, None] // 10 ** np.arange(4, -1, -1) % 10
    significant = np.maximum.accumulate(digits[:, ::-1] > 0, axis=1)[:, ::-1]
    significant[:, 0] = True
    texts = np.zeros((_A_DEGREE, DEGREES_WIDTHS[1]), np.uint8)
    texts[:, 0] = ord(".")
    texts[:, 1:6] = np.where(significant, digits + ord("0"), 0)
    return texts.view(f"S{DEGREES_WIDTHS[1]}")[:, 0]


@lru_cache(1)
def _usual_heights() -> Text:
    return np.arange(*_USUAL).astype(f"S{WHOLE_WIDTH}")


@lru_cache(1)
def _small() -> Text:
    return np.append(np.array(b"null", f"S{SMALL_WIDTH}"), np.arange(_MAX_SMALL + 1).astype(f"S{SMALL_WIDTH}"))


@lru_cache(1)
def _tenths() -> Text:
    numbers = range(round(GAP_S * 10) + 1)
    return np.array([b"%d.%d" % divmod(number, 10) for number in numbers], f"S{TENTHS_WIDTH}")


@lru_cache(1)
def _hundredths() -> Text:
    return np.array([b"", *(b".%03d" % (10 * number) for number in range(1, _A_SECOND))], "S4")
