"""What features provide to the picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skywatch.core.hooks import Hook

if TYPE_CHECKING:
    from skywatch.core.runtime import Runtime
    from skywatch.picture.monitor import Monitor


@dataclass(frozen=True)
class PictureMonitor(Hook):
    """What the tracker calls on each tick: ``create`` makes a monitor, or None where the installation needs none."""

    create: Callable[[Runtime], Monitor | None]
