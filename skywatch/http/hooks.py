"""What the HTTP layer asks of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skywatch.core.hooks import Hook

if TYPE_CHECKING:
    from skywatch.core.runtime import Runtime
    from skywatch.security.contexts import AccessSource
    from skywatch.security.identity import Identity
    from skywatch.security.policy import CredentialMethod


@dataclass(frozen=True, kw_only=True)
class CallerSource(Hook):
    """Which callers there are, and what access features have; at most one feature provides it.

    ``methods()`` returns how a request is identified, in the order in which they are tried. ``identify_key`` returns
    the owner of an API key, or raises Problem (401).
    """

    methods: Callable[[], Sequence[CredentialMethod]]
    identify_key: Callable[[Runtime, str], Identity]
    access: Callable[[Runtime], AccessSource]
