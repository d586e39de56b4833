"""Which feeders count as independent of each other: not those of one owner, nor those in one network.

Two feeders of one person are one voice: who registers twice, or connects twice from one address, confirms nothing.
Feeders that managers trust are each a voice of their own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skywatch.core.arrays import distinct
from skywatch.receivers.framing.frames import Column

# Voices above this add nothing to a report's weight.
MAX_VOICES = 5


class Voice(NamedTuple):
    """The source of a claim: the owner and the network of an untrusted feeder."""

    owner: str
    network: str

    def is_independent(self, other: Voice) -> bool:
        """Whether two of them confirm each other."""
        return self.owner != other.owner and self.network != other.network


class Extent(NamedTuple):
    """The smallest and largest numbers of owners and networks among the hearers of each frame, i8[n].

    Some pair of hearers is independent exactly where neither all owners nor all networks are the same: of edges between
    owners and networks that all meet each other, all share one end.
    """

    least_owner: Column
    most_owner: Column
    least_network: Column
    most_network: Column

    def is_independent(self) -> Column:
        """?[n]: whether two of the hearers are independent of each other."""
        result: Column = (self.least_owner != self.most_owner) & (self.least_network != self.most_network)
        return result

    def joined(self, other: Extent) -> Extent:
        """The extent of both groups of hearers."""
        return Extent(
            np.minimum(self.least_owner, other.least_owner),
            np.maximum(self.most_owner, other.most_owner),
            np.minimum(self.least_network, other.least_network),
            np.maximum(self.most_network, other.most_network),
        )

    def where(self, chosen: Column) -> Extent:
        """The entries of a mask or indices."""
        return Extent(*(column[chosen] for column in self))


def extent(owners: Column, networks: Column, starts: Column) -> Extent:
    """The extent of groups of hearers that begin at ``starts``."""
    return Extent(
        np.minimum.reduceat(owners, starts),
        np.maximum.reduceat(owners, starts),
        np.minimum.reduceat(networks, starts),
        np.maximum.reduceat(networks, starts),
    )


def count_voices(rows: Column, owners: Column, networks: Column, count: int) -> Column:
    """u1[count]: independent voices of each row, at most MAX_VOICES, from its hearers (one entry a hearer).

    No more are independent of each other than there are owners, and than there are networks.
    """
    voices = np.full(count, MAX_VOICES)
    for numbers in (owners, networks):
        # One number for a row and a hearer: rows of an array are sorted many times more slowly.
        heard = distinct((rows << 32) | numbers) >> 32
        voices = np.minimum(voices, np.bincount(heard, minlength=count))
    result: Column = np.maximum(voices, 1).astype(np.uint8)
    return result
