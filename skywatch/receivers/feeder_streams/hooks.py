"""What features can provide to ports that feeders connect to."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skywatch.core.hooks import Hook

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from skywatch.receivers.feeder_streams.feeder import KnownFeeder


@dataclass(frozen=True)
class FeederRecords(Hook):
    """Which feeders are known; at most one feature has them.

    ``read(session, keys)`` returns those whose UUID's hash or whose name (``name_key``) is among the keys, or all for
    None.
    """

    read: Callable[[Session, Collection[str] | None], list[KnownFeeder]]
