"""What accounts ask of features above them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skywatch.core.hooks import Hook
from skywatch.settings import Settings

if TYPE_CHECKING:
    from skywatch.core.runtime import Runtime
    from skywatch.http.requests.request import Request


@dataclass(frozen=True, kw_only=True)
class SingleSignOn(Hook):
    """Logins at identity providers; at most one feature provides them.

    ``config(runtime)`` returns members of ``auth/config``, ``at_logout(request, login_ids)`` members of the answer to a
    logout.
    """

    config: Callable[[Runtime], Mapping[str, Any]]
    at_logout: Callable[[Request, Set[str]], Mapping[str, str]]


@dataclass(frozen=True, kw_only=True)
class PasswordPage(Hook):
    """The page on which users set a password with a link; at most one feature provides it.

    ``address(request, token)`` returns the link.
    """

    is_enabled: Callable[[Settings], bool]
    address: Callable[[Request, str], str]
