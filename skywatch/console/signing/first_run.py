"""Whether the console leads through its three steps: no administrator yet, and no receiver but the simulator."""

from __future__ import annotations

import threading
import time

from sqlalchemy.exc import SQLAlchemyError

from skywatch.accounts.first_run import State, state_of
from skywatch.accounts.settings import AccountSettings
from skywatch.console.settings import ConsoleSettings
from skywatch.core.runtime import Runtime
from skywatch.receivers.settings import ReceiverSettings

# The answer is kept for so long (s): the web application's address asks with every visit.
KEPT_S = 1.0
SIMULATOR = "simulate"


class FirstRun:
    """The state of one installation; safe to use from any thread."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._lock = threading.Lock()
        self._state: State = ""
        self._read_at = float("-inf")

    @property
    def state(self) -> State:
        """``create``: there is no user; ``sign_in``: the first administrator has never logged in; else empty."""
        with self._lock:
            if time.monotonic() - self._read_at >= KEPT_S:
                self._state = self._read()
                self._read_at = time.monotonic()
            return self._state

    def expire(self) -> None:
        """Look again the next time."""
        self._read_at = float("-inf")

    def _read(self) -> State:
        runtime = self._runtime
        settings = runtime.settings
        if not settings.of(ConsoleSettings).console_first_run or not settings.of(AccountSettings).local_auth_enabled:
            return ""
        try:
            texts = runtime.current.of(ReceiverSettings).receivers.values()
            if any(text.split()[:1] != [SIMULATOR] for text in texts):
                return ""
            with runtime.sessions() as session:
                return state_of(session)
        except SQLAlchemyError:
            return ""  # The visitor gets the page as always, and the checks of health say what is wrong.
