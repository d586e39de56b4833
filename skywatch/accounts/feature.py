"""The feature declaration of accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.accounts.settings import AccountSettings
from skywatch.core.feature import Feature
from skywatch.core.hooks import AfterRestore, DoctorCheck
from skywatch.http.hooks import CallerSource
from skywatch.security.hooks import UserDirectory

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlalchemy.orm import Session

    from skywatch.accounts.identity.authenticator import Authenticator
    from skywatch.core.backups import Restoration
    from skywatch.core.runtime import Runtime
    from skywatch.core.storage.retention import Kind
    from skywatch.core.terminal.checks import Finding, Inspection
    from skywatch.security.identity import Identity
    from skywatch.security.policy import CredentialMethod
    from skywatch.security.visibility import Visibility
    from skywatch.settings import AuthMode


def _credential_methods() -> Sequence[CredentialMethod]:
    from skywatch.accounts.identity.credentials import cookie_method, header_method

    return (header_method, cookie_method)


def _authenticator(runtime: Runtime) -> Authenticator:
    from skywatch.accounts.identity.authenticator import Authenticator

    # The one of this process: the API and the channel learn of an ended login in the same moment.
    return runtime.shared(Authenticator)


def _identify_key(runtime: Runtime, key: str) -> Identity:
    return _authenticator(runtime).identify_key(key)


def _check(inspection: Inspection) -> Iterator[Finding]:
    from skywatch.accounts.checks import check

    return check(inspection)


def _visibilities(session: Session, mode: AuthMode, user_ids: Collection[int]) -> Mapping[int, Visibility]:
    from skywatch.accounts.identity.visibilities import visibilities

    return visibilities(session, mode, user_ids)


def _people(session: Session, user_ids: Collection[int]) -> Mapping[int, str]:
    from skywatch.accounts.identity.visibilities import people

    return people(session, user_ids)


def _retention_kinds() -> tuple[Kind, ...]:
    from skywatch.accounts.retention import KINDS

    return KINDS


def _end_logins(session: Session, restoration: Restoration) -> None:
    from skywatch.accounts.login_tokens import end_restored

    end_restored(session, restoration)


FEATURE = Feature(
    name="accounts",
    settings=AccountSettings,
    include="skywatch.accounts",
    retention=_retention_kinds,
    commands={"user": "skywatch.accounts.command:user"},
    tags={
        "auth": "Logging in and out, the caller's own profile, password and permissions.",
        "setup": "The first administrator of a new installation.",
        "api-keys": "The caller's API keys.",
        "users": "User accounts.",
        "roles": "Roles: named sets of permissions.",
        "user-roles": "Which user has which role, and until when.",
        "feature-access": "Who may use each feature: everybody, users, or holders of its permissions.",
    },
    provides=(
        CallerSource(methods=_credential_methods, identify_key=_identify_key, access=_authenticator),
        DoctorCheck(_check),
        UserDirectory(visibilities=_visibilities, people=_people),
        AfterRestore(_end_logins),
    ),
)
