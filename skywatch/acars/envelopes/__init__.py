"""From packets of any decoder to messages: splitting into JSON objects and recognising each program's form.

``read`` takes the bytes of one packet or line and yields what is in them. Nothing here raises on any bytes, and
there is no state between calls.

Not here: what the text of a message means, which is `acars/decoding`.
"""

from __future__ import annotations

from skywatch.acars.envelopes.burst import Burst, FramePosition
from skywatch.acars.envelopes.packets import complete_length, read

__all__ = ["Burst", "FramePosition", "complete_length", "read"]
