"""Whether an installation has a user; as long as it has none, the first administrator can be created."""

from __future__ import annotations

import threading
import time

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from skywatch.accounts.models import User
from skywatch.accounts.settings import AccountSettings
from skywatch.core.runtime import Runtime

# The answer is kept for so long (s): the first page asks with every visit.
KEPT_S = 1.0


def has_user(session: Session) -> bool:
    """Whether there is any account."""
    return session.scalar(sa.select(User.id).limit(1)) is not None


class SetupState:
    """The state of one installation; safe to use from any thread."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._lock = threading.Lock()
        self._is_open = runtime.settings.of(AccountSettings).local_auth_enabled
        self._read_at = float("-inf")

    @property
    def is_open(self) -> bool:
        """Whether the first administrator can be created: there is no user, and users may have passwords."""
        # Once there is a user there is always one: the last superadmin stays.
        if not self._is_open:
            return False
        with self._lock:
            if self._is_open and time.monotonic() - self._read_at >= KEPT_S:
                return self._read()
            return self._is_open

    def expire(self) -> None:
        """Look again the next time."""
        self._read_at = float("-inf")

    def _read(self) -> bool:
        # Set before the read: a user who is created during it may be missing.
        self._read_at = time.monotonic()
        try:
            with self._runtime.sessions() as session:
                self._is_open = not has_user(session)
        except SQLAlchemyError:
            self.expire()
            return False  # The visitor gets the page as always, and the checks of health say what is wrong.
        return self._is_open
