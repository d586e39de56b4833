"""What features provide to the picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skywatch.core.hooks import Hook

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from skywatch.core.runtime import Runtime
    from skywatch.picture.monitor import Monitor
    from skywatch.picture.state.sky import Sky
    from skywatch.security.visibility import Visibility


@dataclass(frozen=True)
class PictureMonitor(Hook):
    """What the tracker calls on each tick: ``create`` makes a monitor, or None where the installation needs none.

    ``prepare`` loads what is costly and never changes; a tracker that stands by calls it ahead, in a thread.
    """

    create: Callable[[Runtime], Monitor | None]
    prepare: Callable[[], object] | None = None


@dataclass(frozen=True)
class GivenAircraft(Hook):
    """What is known of aircraft that somebody describes to try a rule on them.

    ``complete`` fills columns of a sky that nobody else has seen, with what a caller may know.
    """

    complete: Callable[[Session, Sky, Visibility], None]
