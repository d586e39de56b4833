"""The settings of receivers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from skywatch.settings import Settings, setting

# The kind of receivers whose aircraft are not real.
SIMULATOR = "simulate"


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReceiverSettings(Settings):
    """The settings of receivers."""

    receivers: dict[str, str] = setting(
        {}, "a receiver: kind and address, for example `beast localhost:30005`", name="receiver.*"
    )
    feeder_messages_s: int = setting(
        3_000,
        "messages a second that one feeder may send on average; what exceeds it is dropped and counted",
        minimum=10,
        maximum=100_000,
    )
    receiver_discovery: bool = setting(
        True,
        "the console may look for receivers in the private networks of this machine (at most the /24 around each of its"
        " addresses, never those of containers), for holders of system.manage who have just signed in",
    )


def is_simulated(receivers: Mapping[str, str]) -> bool:
    """Whether there are receivers, and all of them are simulators."""
    return bool(receivers) and all(text.split()[:1] == [SIMULATOR] for text in receivers.values())
