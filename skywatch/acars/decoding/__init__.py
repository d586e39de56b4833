"""Reads the text of ACARS messages: from a label and a text to a title and items that a person can read.

Each module defines the forms of one family and lists them in ``FORMS``; ``decode`` tries those of the label in order.
Nothing here depends on a database, a network or permissions, and nothing raises on any text.

Not here: splitting packets of decoder programs, which is `acars/envelopes`.
"""

from __future__ import annotations

from skywatch.acars.decoding.decode import decode
from skywatch.acars.decoding.values import Decoded, Item, Position

__all__ = ["Decoded", "Item", "Position", "decode"]
