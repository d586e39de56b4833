"""The settings of the administrative console."""

from __future__ import annotations

import dataclasses

from skywatch.settings import Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class ConsoleSettings(Settings):
    """The settings of the administrative console."""

    console_enabled: bool = setting(True, "the administrative console at /console")
    console_first_run: bool = setting(True, "/console leads a new installation (no user) through its first steps")
    console_idle_minutes: int = setting(
        30, "a session of the console ends after this long without a page (min)", minimum=1, maximum=1440
    )
    console_session_hours: int = setting(
        12, "a session of the console ends this long after signing in (h)", minimum=1, maximum=168
    )
