"""The part in the tracker: hands every tick to the outputs."""

from __future__ import annotations

from skywatch.core.runtime import Runtime
from skywatch.outputs.hub import Hub
from skywatch.picture.state.sky import Sky


class OutputMonitor:
    """Hands every tick on."""

    name = "outputs"

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def start(self) -> None:
        pass

    def on_tick(self, sky: Sky) -> None:
        self._hub.on_tick(sky)

    def close(self) -> None:
        pass


def create(runtime: Runtime) -> OutputMonitor:
    """The monitor of this feature."""
    return OutputMonitor(runtime.shared(Hub))
