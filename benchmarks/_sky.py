"""A picture that does not change, published as a tracker does."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from itertools import count

from skywatch.core.bus import Bus, Message, topics
from skywatch.picture.state.sky import Sky


def keep_publishing(bus: Bus, sky: Sky) -> None:
    """Publish the same sky once a second from now on: a tracker that falls silent would let it age."""

    def publish(seq: int) -> None:
        # With the answers that were built from it.
        tick = replace(sky, seq=seq)
        bus.publish(Message(topics.PICTURE, "tick", b"", snapshot=True, local=tick))

    def run() -> None:
        for seq in count(sky.seq + 1):
            time.sleep(1.0)
            publish(seq)

    publish(sky.seq)
    threading.Thread(target=run, name="bench-tracker", daemon=True).start()
