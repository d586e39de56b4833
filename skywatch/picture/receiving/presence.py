"""Which aircraft are contested: heard by so many voices that two others can contradict each one.

Where only two feeders hear an aircraft, each has the right to bring news of it; where more do, the rest will agree on
what is true within seconds, and one alone need not be believed until then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from skywatch.picture.positions.accepted import Array
from skywatch.receivers.ingest.voices import Voice

# Who has sent nothing of an aircraft for so long (s) does not hear it now.
PRESENT_S = 5.0
CONTESTED_VOICES = 3


class Present(Protocol):
    """The reports of one receiver, see ``gathering``."""

    @property
    def receiver(self) -> int:
        """Its index."""

    @property
    def rows(self) -> Array:
        """The rows of its views in the tick."""

    def heard_at(self) -> Array:
        """When each was heard last (unix s)."""

    def voices(self) -> Array | None:
        """How many independent feeders agree on each view; None where the receiver is one."""


def contested(
    reported: Sequence[Present], names: Sequence[str], speakers: Mapping[str, Voice], count: int, now: float
) -> Array:
    """?[count]: the aircraft that independent feeders agree on lately, or that three voices hear.

    ``names`` are the receivers by index, ``speakers`` the voices of untrusted feeders by receiver: those of one owner
    are one.
    """
    result = np.zeros(count, "?")
    voices = np.zeros(count, "i4")
    of_owner: dict[str, Array] = {}
    for of_receiver in reported:
        rows = of_receiver.rows[now - of_receiver.heard_at() <= PRESENT_S]
        agreed = of_receiver.voices()
        if agreed is not None:
            result[of_receiver.rows[(agreed > 1) & (now - of_receiver.heard_at() <= PRESENT_S)]] = True
            continue
        speaker = speakers.get(names[of_receiver.receiver])
        if speaker is not None:
            before = of_owner.setdefault(speaker.owner, np.zeros(count, "?"))
            rows = rows[~before[rows]]
            before[rows] = True
        voices[rows] += 1
    result |= voices >= CONTESTED_VOICES
    return result
