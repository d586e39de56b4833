"""``Voice``: who speaks through a source of reports, ours or a stranger, and whose stranger.

Own receivers and feeders that managers trust are ours, each a voice of its own. All other feeders are strangers, and
those of one owner or in one network are one voice: who registers twice, or connects twice from one address, confirms
nothing. All feeders without a record are one voice together: one machine has addresses of several networks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skywatch.core.arrays import distinct
from skywatch.core.network.addresses import site_of
from skywatch.receivers.framing.frames import Column

# The owner of a feeder without a record is this and its network.
OF_NETWORK = "network "
# Who speaks through any of them.
ANYBODY = "anybody"
# Voices above this add nothing to a report's weight.
MAX_VOICES = 5


class Voice(NamedTuple):
    """The owner of a stranger's feeder and the network it connects from; both are empty for ours.

    Shares and limits count by ``owner``. An anonymous feeder is its network's, the IPv4 /24 or IPv6 /48.
    """

    owner: str = ""
    network: str = ""

    @classmethod
    def of_anybody(cls, network: str) -> Voice:
        """That of a feeder without a record."""
        return cls(f"{OF_NETWORK}{site_of(network)}", network)

    @property
    def speaker(self) -> str:
        """Who speaks, as far as it is known: the owner, and one for all feeders without a record."""
        return ANYBODY if self.owner.startswith(OF_NETWORK) else self.owner

    @property
    def names(self) -> tuple[str, str]:
        """Who speaks and from where: two strangers that confirm each other have neither in common."""
        return self.speaker, self.network

    @property
    def is_ours(self) -> bool:
        """Whether it is an own receiver or a trusted feeder."""
        return not self.owner

    @property
    def is_alone(self) -> bool:
        """Whether it is that of one stranger, which nobody confirms."""
        return not self.is_ours and self != SEVERAL

    def is_independent(self, other: Voice) -> bool:
        """Whether two strangers confirm each other."""
        return UNKNOWN not in (self, other) and self.speaker != other.speaker and self.network != other.network


OURS = Voice()
# What strangers that are independent of each other say alike.
SEVERAL = Voice("several", "several")
# A stranger of whom it is not known who it is, and who therefore confirms nobody.
UNKNOWN = Voice("unknown", "unknown")


class Extent(NamedTuple):
    """The smallest and largest numbers of speakers and networks among the hearers of each frame, i8[n].

    Some pair of hearers is independent exactly where neither all speakers nor all networks are the same: of edges
    between speakers and networks that all meet each other, all share one end.
    """

    least_speaker: Column
    most_speaker: Column
    least_network: Column
    most_network: Column

    def is_independent(self) -> Column:
        """?[n]: whether two of the hearers are independent of each other."""
        result: Column = (self.least_speaker != self.most_speaker) & (self.least_network != self.most_network)
        return result

    def joined(self, other: Extent) -> Extent:
        """The extent of both groups of hearers."""
        return Extent(
            np.minimum(self.least_speaker, other.least_speaker),
            np.maximum(self.most_speaker, other.most_speaker),
            np.minimum(self.least_network, other.least_network),
            np.maximum(self.most_network, other.most_network),
        )

    def where(self, chosen: Column) -> Extent:
        """The entries of a mask or indices."""
        return Extent(*(column[chosen] for column in self))


def extent(speakers: Column, networks: Column, starts: Column) -> Extent:
    """The extent of groups of hearers that begin at ``starts``."""
    return Extent(
        np.minimum.reduceat(speakers, starts),
        np.maximum.reduceat(speakers, starts),
        np.minimum.reduceat(networks, starts),
        np.maximum.reduceat(networks, starts),
    )


def count_voices(rows: Column, speakers: Column, networks: Column, count: int) -> Column:
    """u1[count]: independent voices of each row, at most MAX_VOICES, from its hearers (one entry a hearer).

    No more are independent of each other than there are speakers, and than there are networks.
    """
    voices = np.full(count, MAX_VOICES)
    for numbers in (speakers, networks):
        # One number for a row and a hearer: rows of an array are sorted many times more slowly.
        heard = distinct((rows << 32) | numbers) >> 32
        voices = np.minimum(voices, np.bincount(heard, minlength=count))
    result: Column = np.maximum(voices, 1).astype(np.uint8)
    return result
