"""Numbers at and beyond what a setting permits, as people, programs and older versions may have written them."""

from __future__ import annotations

import math

from skywatch.features import SETTINGS
from skywatch.settings import names_of

NAMES = names_of(SETTINGS)
# Name -> (minimum, maximum, whether it is a whole number) of every setting that is a number.
NUMBERS = {
    name: (NAMES.fields[field].metadata["minimum"], NAMES.fields[field].metadata["maximum"], NAMES.hints[field] is int)
    for name, field in NAMES.single.items()
    if NAMES.hints[field] in (int, float, float | None)
}
NO_NUMBERS = ("nan", "inf", "-inf", "Infinity", "1e999", "-1e999", "9" * 5000, "-" + "9" * 5000, "0x10", "1 2", "soon")
HUGE = ("1e308", "-1e308", "9" * 30, "-" + "9" * 30)


def written(value, is_whole):
    """A number as people write it."""
    return str(int(value)) if is_whole else repr(float(value))


def allowed(name):
    """The texts of the least and the greatest value."""
    minimum, maximum, is_whole = NUMBERS[name]
    return [written(minimum, is_whole), written(maximum, is_whole)]


def refused(name):
    """Texts that are no number, or one beyond the bounds."""
    minimum, maximum, is_whole = NUMBERS[name]
    beyond = (minimum - 1, maximum + 1) if is_whole else (minimum - 1e-6, math.nextafter(maximum, math.inf))
    return [*(written(value, is_whole) for value in beyond), *HUGE, *NO_NUMBERS]
