"""What features provide to those who act for users outside of requests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skywatch.core.hooks import Hook

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from skywatch.security.visibility import Visibility
    from skywatch.settings import AuthMode


@dataclass(frozen=True, kw_only=True)
class UserDirectory(Hook):
    """The users of the installation; at most one feature has them.

    ``visibilities(session, mode, user_ids)`` returns what the active ones among these users may see,
    ``people(session, user_ids)`` the person (``skywatch.security.identity.person_of_user``) of each.
    """

    visibilities: Callable[[Session, AuthMode, Collection[int]], Mapping[int, Visibility]]
    people: Callable[[Session, Collection[int]], Mapping[int, str]]
