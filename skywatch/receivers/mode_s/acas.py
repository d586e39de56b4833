"""Resolution advisories of the collision avoidance system, as aircraft report them.

The same 56 bits come as squitter (type code 28 subtype 2), as Comm-B register 3,0 (DF20/21) and as coordination
reply (DF16 with VDS 3,0): ICAO Annex 10 volume IV, 4.3.8.4.2.2; "The 1090 Megahertz Riddle", chapter "Airborne
collision avoidance system". The description has the keys of readsb's ``acas_ra``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.bits import ME_BITS, field, flag

REGISTER = 0x30
COMPLEMENTS = ("Do not pass below", "Do not pass above", "Do not turn left", "Do not turn right")
# Bits 10-15 when several threats are dealt with (bit 9 is 0, bit 28 is 1).
MULTIPLE = (
    "Correct upwards", "Climb required", "Correct downwards", "Descent required", "Crossing", "Sense reversal",
)  # fmt: skip


def has_advisory(me: Column) -> Column:
    """?[n]: whether these 56 bits report an advisory; the first eight bits are not looked at."""
    single = flag(me, 9)
    multiple = flag(me, 28) & (field(me, 10, 15) != 0)
    result: Column = single | multiple
    return result


def plausible_register(mb: Column) -> Column:
    """?[n]: whether a register whose number is unknown can only be 3,0 with an advisory in it.

    Its number stands in the first eight bits; bits reserved for horizontal advisories are zero, and the threat's
    identity is an address (type 1), altitude, range and bearing (type 2) or absent (type 0).
    """
    threat_type = field(mb, 29, 30)
    identity = field(mb, 31, 56)
    identity_fits = np.select(
        [threat_type == 0, threat_type == 1, threat_type == 2],
        [identity == 0, (identity & 3) == 0, identity != 0],
        False,
    )
    result: Column = (field(mb, 1, 8) == REGISTER) & (field(mb, 16, 22) == 0) & identity_fits & has_advisory(mb)
    return result


def describe_ra(me: int) -> dict[str, object]:
    """One advisory in words; the keys are those of readsb's ``acas_ra``."""

    def bit(number: int) -> bool:
        return bool(me >> (ME_BITS - number) & 1)

    def digits(first: int, last: int) -> str:
        return "".join("1" if bit(number) else "0" for number in range(first, last + 1))

    description: dict[str, object] = {
        "bytes": f"{me:014X}",
        "ARA": digits(9, 15),
        "RAT": digits(27, 27),
        "MTE": digits(28, 28),
        "RAC": digits(23, 26),
        "advisory_complement": "; ".join(text for k, text in enumerate(COMPLEMENTS) if bit(23 + k)),
        "advisory": _advisory(bit),
        "TTI": digits(29, 30),
    }
    if description["TTI"] == "01":
        description["threat_id_hex"] = f"{me >> 2 & 0xFFFFFF:06x}"
    return description


def _advisory(bit: Callable[[int], bool]) -> str:
    """The advisory as the crew hears or sees it (bits 9-15, 27, 28)."""
    if bit(27):
        return "Clear of Conflict"
    if not bit(9):
        return "; ".join(text for k, text in enumerate(MULTIPLE) if bit(10 + k))
    corrective, downward, increase, reversal, crossing, positive = (bit(number) for number in range(10, 16))
    sense = "Descend" if downward else "Climb"
    if not positive:
        return "Level Off" if corrective else "Monitor Vertical Speed"
    if not corrective:
        return "Maintain Vertical Speed; Crossing Maintain" if crossing else "Maintain Vertical Speed"
    words = [f"Increase {sense}" if increase else sense]
    if reversal:
        words.append(f"{sense} NOW")
    if crossing:
        words.append(f"Crossing {sense}")
    return "; ".join(words)
