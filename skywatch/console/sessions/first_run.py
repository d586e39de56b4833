"""Whether the console leads through its three steps: there is no administrator yet."""

from __future__ import annotations

from skywatch.accounts.setup.service import SetupState
from skywatch.console.settings import ConsoleSettings


class FirstRun:
    """The first run of one installation; safe to use from any thread."""

    def __init__(self, settings: ConsoleSettings, state: SetupState) -> None:
        self._is_enabled = settings.console_first_run
        self._state = state

    @property
    def is_open(self) -> bool:
        """Whether the first administrator is to be created."""
        return self._is_enabled and self._state.is_open

    def expire(self) -> None:
        """Look again the next time."""
        self._state.expire()
