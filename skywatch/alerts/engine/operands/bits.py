"""Masks as bits, eight slots per byte.

Thousands of masks of 15,000 aircraft do not fit into a processor's cache as bytes; as bits they do, and combining
two of them takes a third of a microsecond.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]
Slots = npt.NDArray[np.intp]
# Slots in a word; capacities are multiples of it.
WORD = 64


def packed(mask: Mask) -> Words:
    """A mask as bits."""
    words: Words = np.packbits(mask, bitorder="little").view(np.uint64)
    return words


def nothing(capacity: int) -> Words:
    """A mask without any bit set."""
    return np.zeros(capacity // WORD, np.uint64)


def slots_of(words: Words) -> Slots:
    """The slots whose bit is set, in order."""
    octets = words.view(np.uint8)
    indices = np.flatnonzero(octets)
    bits = np.unpackbits(octets[indices], bitorder="little").reshape(-1, 8)
    rows, columns = np.nonzero(bits)
    return indices[rows] * 8 + columns


def count_of(words: Words) -> int:
    """The number of bits set."""
    return int(np.unpackbits(words.view(np.uint8)).sum())


def is_set(words: Words, slots: Slots) -> Mask:
    """Whether the bits of these slots are set."""
    octets: npt.NDArray[Any] = words.view(np.uint8)
    result: Mask = (octets[slots >> 3] >> (slots & 7).astype(np.uint8)) & 1 == 1
    return result


def clear(words: Words, slots: Slots) -> None:
    """Unset the bits of these slots."""
    octets = words.view(np.uint8)
    np.bitwise_and.at(octets, slots >> 3, ~(np.uint8(1) << (slots & 7).astype(np.uint8)))
