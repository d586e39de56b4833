"""``ReceiverContext``: what a receiver is given of the process that opens it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from skywatch.receivers.settings import ReceiverSettings

if TYPE_CHECKING:
    from skywatch.receivers.feeder_streams.feeder import Connection
    from skywatch.receivers.feeder_streams.hub import FeederHub
    from skywatch.receivers.feeder_streams.reduction import Reduction
    from skywatch.receivers.frame_tap import FrameTap


@dataclass(frozen=True, kw_only=True)
class ReceiverContext:
    """What the receivers of a process share; without one a receiver is alone.

    Receivers of frames pass good ones to ``tap``. The rest is for ports that feeders connect to: ``feeders`` is the
    process's hub and ``settings`` are those in force when the receiver is opened. ``consume`` gets once a second what
    the hub has reduced; without it the sink does. ``may_enter(connection)`` asks the other processes whether a
    connection may come in; it is called in a thread.
    """

    settings: ReceiverSettings = field(default_factory=ReceiverSettings)
    tap: FrameTap | None = None
    feeders: FeederHub | None = None
    consume: Callable[[Reduction], None] | None = None
    may_enter: Callable[[Connection], bool] | None = None


ALONE = ReceiverContext()
