"""The security policy: tries each credential method in order; the ACLs of the feature contexts decide.

A method is a callable that returns an Identity, returns None where its credentials are not in the request, or
raises a Problem (401) where they are invalid: an invalid credential is never treated as anonymous. An area
(``skywatch.security.area``) has only its own methods.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from pyramid.authorization import ACLHelper
from pyramid.request import Request
from pyramid.security import Allowed, Denied
from sqlalchemy.exc import DBAPIError, TimeoutError

from skywatch.security.area import area_of
from skywatch.security.contexts import FeatureContext
from skywatch.security.identity import Identity, principals_of
from skywatch.security.permissions import WITHHELD_FROM_KEYS, ViewPermission

CredentialMethod = Callable[[Request], Identity | None]
_acl = ACLHelper()
# Attributes of a request for its identity, and for the error that prevented finding it.
IDENTITY, UNKNOWN = "skywatch_identity", "skywatch_identity_unknown"
# Errors of an identity look-up while the database is away.
OUT_OF_REACH = (DBAPIError, TimeoutError)


def decide(context: Any, identity: Identity | None, permission: str) -> Any:
    """Allowed or Denied for an identity on a context; the one place that decides, for REST and real time."""
    if permission == ViewPermission.OPEN:
        return Allowed(permission)
    if identity is not None and identity.scopes is not None and not reaches(context, identity.scopes, permission):
        return Denied("scope_denied")
    context = getattr(context, "context", context)
    if not getattr(context, "is_enabled", True):
        return Denied("feature_disabled")
    if isinstance(context, FeatureContext):
        return _permits(context, principals_of(identity), permission)
    return _acl.permits(context, principals_of(identity), permission)


@functools.lru_cache(maxsize=4096)
def _permits(context: FeatureContext, principals: tuple[str, ...], permission: str) -> Any:
    # The decision of a context never changes: another mode or setting makes another context.
    return _acl.permits(context, principals, permission)


def reaches(context: Any, scopes: frozenset[str], permission: str) -> bool:
    """Whether an API key's scopes cover the request: the features in the scopes, and the owner's identity."""
    if permission in WITHHELD_FROM_KEYS:
        return False
    feature = getattr(context, "feature", None)
    if feature is None:
        return permission == ViewPermission.IDENTIFIED
    return feature in scopes


class SkywatchSecurityPolicy:
    """The policy as Pyramid's interface.

    ``check_address`` raises Problem (401) for a credential in the address, also where none is read.
    """

    def __init__(self, check_address: Callable[[Request], None], methods: Iterable[CredentialMethod] = ()) -> None:
        self.methods = list(methods)
        self.check_address = check_address

    def _identify(self, request: Request) -> Identity | None:
        area = area_of(request)
        for method in self.methods if area is None else area.methods:
            identity = method(request)
            if identity is not None:
                return identity
        return None

    def identity(self, request: Request) -> Identity | None:
        """The caller, looked up once a request; raises Problem for an invalid credential.

        Raises one of OUT_OF_REACH while the look-up is impossible; that too is tried only once a request.
        """
        state: dict[str, Any] = request.__dict__
        if UNKNOWN in state:
            raise state[UNKNOWN]
        if IDENTITY not in state:
            try:
                state[IDENTITY] = self._identify(request)
            except OUT_OF_REACH as error:
                state[UNKNOWN] = error
                raise
        identity: Identity | None = state[IDENTITY]
        return identity

    def authenticated_userid(self, request: Request) -> str | None:
        identity = self.identity(request)
        return str(identity.user_id) if identity is not None else None

    def permits(self, request: Request, context: Any, permission: str) -> Any:
        if area_of(request) is None:
            self.check_address(request)
        # Who asks for what is open is not looked up: that may fail, and changes nothing.
        return decide(context, None if permission == ViewPermission.OPEN else self.identity(request), permission)

    def remember(self, request: Request, userid: str, **kw: Any) -> list[tuple[str, str]]:
        return []

    def forget(self, request: Request, **kw: Any) -> list[tuple[str, str]]:
        return []
