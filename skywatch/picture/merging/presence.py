"""Which aircraft are contested: heard by so many voices that two others can contradict each one.

Where only two feeders hear an aircraft, each has the right to bring news of it; where more do, the rest will agree on
what is true within seconds, and one alone need not be believed until then.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skywatch.core.arrays import Array
from skywatch.picture.merging.reported import Reported

# Who has sent nothing of an aircraft for so long (s) does not hear it now.
PRESENT_S = 5.0
CONTESTED_VOICES = 3


def contested(reported: Sequence[Reported], count: int, now: float) -> Array:
    """?[count]: the aircraft that independent feeders agree on lately, or that three voices hear.

    Strangers of one owner, without a record, or in one network, are one voice.
    """
    result = np.zeros(count, "?")
    voices = np.zeros(count, "i4")
    spoken: dict[str, Array] = {}
    for of_receiver in reported:
        rows = of_receiver.rows[now - of_receiver.heard_at <= PRESENT_S]
        agreed = of_receiver.agreed()
        if agreed is not None:
            result[of_receiver.rows[agreed & (now - of_receiver.heard_at <= PRESENT_S)]] = True
            continue
        if of_receiver.voice.is_alone:
            heard = rows
            for whose in of_receiver.voice.names:
                before = spoken.setdefault(whose, np.zeros(count, "?"))
                rows = rows[~before[rows]]
                before[heard] = True
        voices[rows] += 1
    result |= voices >= CONTESTED_VOICES
    return result
