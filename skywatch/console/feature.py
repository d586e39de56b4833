"""The feature declaration of the administrative console."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.accounts.hooks import PasswordPage
from skywatch.console.settings import ConsoleSettings
from skywatch.core.feature import Feature

if TYPE_CHECKING:
    from skywatch.http.requests.request import Request
    from skywatch.settings import Settings


def _is_enabled(settings: Settings) -> bool:
    return settings.of(ConsoleSettings).console_enabled


def _reset_address(request: Request, token: str) -> str:
    from skywatch.console.routes import reset_address

    return reset_address(request, token)


FEATURE = Feature(
    name="console",
    settings=ConsoleSettings,
    include="skywatch.console",
    provides=(PasswordPage(is_enabled=_is_enabled, address=_reset_address),),
)
