"""Which values of an aircraft are in doubt, because nobody vouches for them: what every alarm asks for.

A value is in doubt if a stranger says it of an aircraft that ours hear, who do not say it, or if one stranger alone
hears the aircraft; an alarm of one that only strangers hear, unless two of them say it. Of an aircraft that only one
stranger has ever heard (the column ``single_source``) everything is.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.picture.state.sky import Sky
from skywatch.sentences import sentence

Column = npt.NDArray[Any]

# Bits of ``Sky.doubt``, by the group of fields (``picture.state.fields.GROUPS``) whose value is in doubt. That of
# the emergency state is also set where there is none beside a squawk in doubt.
POSITION, ALTITUDE, GEOMETRIC_ALTITUDE, VELOCITY, VERTICAL_RATE, INTEGRITY, ADVISORY, SQUAWK, EMERGENCY = (
    1 << bit for bit in range(9)
)
CALLSIGN, CATEGORY, FLIGHT_DATA = (1 << bit for bit in range(11, 14))
GROUP_BITS: dict[str, int] = {
    "position": POSITION,
    "altitude": ALTITUDE,
    "geometric altitude": GEOMETRIC_ALTITUDE,
    "velocity": VELOCITY,
    "vertical rate": VERTICAL_RATE,
    "integrity": INTEGRITY,
    "resolution advisory": ADVISORY,
    "squawk": SQUAWK,
    "emergency": EMERGENCY,
    "callsign": CALLSIGN,
    "category": CATEGORY,
    **dict.fromkeys(("air data", "weather", "intent", "alert", "identification"), FLIGHT_DATA),
}
ALL = functools.reduce(operator.or_, GROUP_BITS.values())
# Beside them: one stranger alone has heard the aircraft for a minute, and nobody of ours.
ALONE = 1 << 9
# Beside any of these: one of ours hears the aircraft, too, so that what is not in doubt is its word.
OURS_TOO = 1 << 10
# Only strangers hear the aircraft now, one or several of them.
ONLY_STRANGERS = 1 << 14
ALARMS = ADVISORY | SQUAWK | EMERGENCY
# Members of an aircraft that alarm people, by their bit.
ALARM_MEMBERS = {SQUAWK: "squawk", EMERGENCY: "emergency", ADVISORY: "acas_ra"}
EMERGENCY_SQUAWKS = (b"7500", b"7600", b"7700")
# What is said with whatever is told, as information, of an aircraft that one stranger alone has heard, and of others.
SINGLE_SOURCE_WORDS = sentence("doubt.single_source", "heard by one feeder only")
UNCONFIRMED_WORDS = sentence("doubt.unconfirmed", "not confirmed by our receivers")


def doubt_of(sky: Sky) -> Column | None:
    """The bits of what is in doubt, u2[n]; None where nothing is."""
    single = sky.column("single_source")
    if not single.any():
        return sky.doubt
    doubt = np.zeros(len(sky), "u2") if sky.doubt is None else sky.doubt.copy()
    doubt[single] = ALL | ALONE
    return doubt


def unsure_aircraft(sky: Sky) -> Column:
    """?[n]: the aircraft that one stranger alone has ever heard, or alone hears now, so that they may not be there."""
    single = sky.column("single_source")
    return single if sky.doubt is None else single | (sky.doubt & ALONE != 0)


def strangers_aircraft(sky: Sky) -> Column:
    """?[n]: the aircraft that only strangers hear, whether one of them or several."""
    single = sky.column("single_source")
    return single if sky.doubt is None else single | (sky.doubt & (ONLY_STRANGERS | ALONE) != 0)


def sure_emergencies(sky: Sky) -> Column:
    """?[n]: the emergencies that somebody vouches for."""
    emergencies, doubt = sky.column("emergency"), doubt_of(sky)
    if doubt is None:
        return emergencies
    squawks_one = np.isin(sky.column("squawk"), EMERGENCY_SQUAWKS)
    result: Column = emergencies & ((squawks_one & (doubt & SQUAWK == 0)) | (doubt & EMERGENCY == 0))
    return result


def with_sure_alarms(sky: Sky) -> Sky:
    """The sky without the squawks, emergencies and advisories in doubt of aircraft that are sure.

    Those of others are as they are: whatever is told of such an aircraft is information.
    """
    doubt = sky.doubt
    if doubt is None or not (doubt & ALARMS).any():
        return sky
    unsure, columns = unsure_aircraft(sky), dict(sky.columns)
    columns["emergency"] = sure_emergencies(sky) | (columns["emergency"] & unsure)
    columns["acas_ra"] = columns["acas_ra"] & ((doubt & ADVISORY == 0) | unsure)
    columns["squawk"] = np.where((doubt & SQUAWK != 0) & ~unsure, b"", columns["squawk"]).astype("S4")
    return dataclasses.replace(sky, columns=columns)


def words_of(sky: Sky, row: int) -> str:
    """Why what is told of an aircraft is in doubt."""
    return SINGLE_SOURCE_WORDS if unsure_aircraft(sky)[row] else UNCONFIRMED_WORDS
