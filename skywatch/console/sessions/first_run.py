"""Whether the console leads through its three steps: there is no administrator yet."""

from __future__ import annotations

from skywatch.accounts.first_user import SetupState
from skywatch.console.settings import ConsoleSettings
from skywatch.core.runtime import Runtime


class FirstRun:
    """The first run of one installation; safe to use from any thread."""

    def __init__(self, runtime: Runtime) -> None:
        self._is_enabled = runtime.settings.of(ConsoleSettings).console_first_run
        self._state = runtime.shared(SetupState)

    @property
    def is_open(self) -> bool:
        """Whether the first administrator is to be created."""
        return self._is_enabled and self._state.is_open

    def expire(self) -> None:
        """Look again the next time."""
        self._state.expire()
