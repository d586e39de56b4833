"""Users of single sign-on: found by (issuer, subject), created or linked, and brought up to date at each login."""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.changes import begin_change
from skywatch.accounts.identity.rights import in_force
from skywatch.accounts.models import Login, Role, User, UserRole
from skywatch.accounts.names import clean_email, email_key, username_key
from skywatch.accounts.superadmins import lasting_superadmins
from skywatch.accounts.users.service import confirm_email, gave_email, get_user, is_email_taken, target_of
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem
from skywatch.core.storage import audit
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.text.names import only_shown
from skywatch.sso.claims import Rule, fault_of, matching
from skywatch.sso.mappings import active_rules
from skywatch.sso.models import ExternalIdentity, ExternalLogin
from skywatch.sso.providers import Provider

log = logging.getLogger(__name__)
_refused = FaultLog(log, "claim mappings match nothing", "all claim mappings can match")

SOURCE = "oidc"
MAX_NAME = 48
EMAIL_CLAIMS = ("email", "email_verified")
NAME_CLAIMS = ("preferred_username", "upn", "email", "nickname", "name")


def sign_in(
    session: Session,
    begin: Callable[[Session, User], Login],
    provider: Provider,
    claims: Mapping[str, Any],
    sealed_id_token: str,
    actor: audit.Actor,
) -> tuple[User, Login]:
    """Let ``begin`` start a login of the person whom checked claims name; raises Problem (401), and what it raises."""
    begin_change(session)
    # The change is the provider's doing; who it is about stands with it.
    by_provider = audit.Actor(provider.name, SOURCE, None, actor.address, actor.request_id)
    user = _find(session, provider, claims, by_provider)
    if not user.is_active:
        raise Problem("account_disabled")
    _bring_up_to_date(session, user, claims, by_provider)
    _bring_roles_up_to_date(session, user, provider, claims, by_provider)
    login = begin(session, user)
    session.flush()
    session_id = claims.get("sid")
    session.add(
        ExternalLogin(
            login_id=login.id,
            provider=provider.name,
            issuer=claims["iss"],
            subject=claims["sub"],
            session_id=session_id if isinstance(session_id, str) and len(session_id) <= 255 else None,
            id_token=sealed_id_token,
        )
    )
    session.flush()
    session.expire(user)
    return get_user(session, user.id), login


def merge_claims(id_token: Mapping[str, Any], userinfo: Mapping[str, Any]) -> dict[str, Any]:
    """The claims of both documents. The ID token has the last word, for it is signed.

    ``email`` and ``email_verified`` come from one document, as a pair: the word of one document about an address
    proves nothing about the address in the other.
    """
    merged = {**userinfo, **id_token}
    pair = id_token if id_token.get("email") is not None else userinfo
    if "email_verified" not in pair and userinfo.get("email") == pair.get("email"):
        pair = userinfo  # It is about the same address, letter for letter.
    for name in EMAIL_CLAIMS:
        merged.pop(name, None)
    return merged | {name: pair[name] for name in EMAIL_CLAIMS if name in pair}


def logins_of(session: Session, issuer: str, subject: str | None, session_id: str | None) -> list[str]:
    """The logins that a provider's subject or session began and that have not ended."""
    query = (
        sa.select(ExternalLogin.login_id)
        .join(Login, Login.id == ExternalLogin.login_id)
        .where(ExternalLogin.issuer == issuer, Login.ended_at.is_(None))
    )
    if subject is not None:
        query = query.where(ExternalLogin.subject == subject)
    if session_id is not None:
        query = query.where(ExternalLogin.session_id == session_id)
    return list(session.scalars(query))


def username_from(claims: Mapping[str, Any]) -> str:
    """A username that the rules for names allow, as near as possible to what the claims say."""
    for claim in NAME_CLAIMS:
        value = claims.get(claim)
        if isinstance(value, str):
            plain = unicodedata.normalize("NFKD", value.partition("@")[0]).encode("ascii", "ignore").decode()
            name = re.sub(r"[^A-Za-z0-9._-]+", "-", plain)[:MAX_NAME].lstrip("._-").rstrip(".-")
            if len(name) >= 2:
                return name
    return "user"


def _find(session: Session, provider: Provider, claims: Mapping[str, Any], actor: audit.Actor) -> User:
    """The user of (issuer, subject); else the one the address is linked to, else a new one."""
    issuer, subject = claims["iss"], claims["sub"]
    identity = session.scalars(
        sa.select(ExternalIdentity).where(ExternalIdentity.issuer == issuer, ExternalIdentity.subject == subject)
    ).one_or_none()
    if identity is not None:
        identity.last_login = utcnow()
        return get_user(session, identity.user_id)
    user = _linked(session, provider, claims, actor) or _create(session, claims, actor)
    session.add(ExternalIdentity(user_id=user.id, issuer=issuer, subject=subject))
    session.flush()
    return get_user(session, user.id)


def _linked(session: Session, provider: Provider, claims: Mapping[str, Any], actor: audit.Actor) -> User | None:
    address = _address(claims)
    # An unverified address counts as none, whether or not it is an account's: whoever may write any address into a
    # provider's profile neither becomes whoever has it here nor finds out that somebody has.
    if address is None or claims.get("email_verified") is not True or not provider.allow_email_linking:
        return None
    # An address that users gave themselves has no key: it could be another person's, taken to be linked with.
    user = session.scalars(sa.select(User).where(User.email_key == email_key(address))).one_or_none()
    if user is not None and user.is_active:
        after = {"issuer": claims["iss"], "subject": claims["sub"]}
        audit.record(session, actor, "user.linked", target_of(user), after=after)
    return user


def _create(session: Session, claims: Mapping[str, Any], actor: audit.Actor) -> User:
    name = _free_name(session, username_from(claims))
    user = User(
        username=name,
        username_key=username_key(name),
        email="",
        email_key=None,
        display_name=_display_name(claims) or name,
        auth_provider=SOURCE,
    )
    session.add(user)
    session.flush()
    after = {"username": name, "issuer": claims["iss"], "subject": claims["sub"]}
    audit.record(session, actor, "user.created", target_of(user), after=after)
    return user


def _free_name(session: Session, preferred: str) -> str:
    """The name, or the name with the first free number: ada, ada-2, ada-3."""
    key = username_key(preferred)
    taken = set(
        session.scalars(
            sa.select(User.username_key).where(
                sa.or_(User.username_key == key, User.username_key.startswith(f"{key}-", autoescape=True))
            )
        )
    )
    name, number = preferred, 2
    while username_key(name) in taken:
        name, number = f"{preferred}-{number}", number + 1
    return name


def _bring_up_to_date(session: Session, user: User, claims: Mapping[str, Any], actor: audit.Actor) -> None:
    """Name and address of a user whom the provider keeps; those of a linked account are its owner's.

    The provider confirms the address that the owner of a linked account has given, where it is the same.
    """
    before = {"display_name": user.display_name, "email": user.email, "email_confirmed": user.email_confirmed}
    address = _address(claims)
    is_kept = user.auth_provider == SOURCE
    if is_kept:
        user.display_name = _display_name(claims) or user.display_name
    # An unverified address would keep its true owner from using it.
    if address is not None and claims.get("email_verified") is True:
        may_set = is_kept or gave_email(user, address)
        if may_set and not is_email_taken(session, user, address):
            confirm_email(user, address)
    after = {"display_name": user.display_name, "email": user.email, "email_confirmed": user.email_confirmed}
    if before != after:
        audit.record(session, actor, "user.changed", target_of(user), before=before, after=after)
    session.flush()


def _log_refused(rules: list[Rule]) -> None:
    refused = [f"{rule.name}: {fault}" for rule in rules if (fault := fault_of(rule))]
    if refused:
        _refused.failed("; ".join(refused[:3]))
    else:
        _refused.succeeded()


def _bring_roles_up_to_date(
    session: Session, user: User, provider: Provider, claims: Mapping[str, Any], actor: audit.Actor
) -> None:
    """Let the user hold what mappings give and nothing else of theirs; what was given by hand stays."""
    rules = active_rules(session)
    role_names = {rule.role for rule in matching(rules, claims, provider.name)}
    _log_refused(rules)
    given = {assignment.role.name: assignment for assignment in user.assignments if assignment.source == SOURCE}
    by_hand = sa.select(UserRole.id).where(UserRole.user_id == user.id, UserRole.source != SOURCE, in_force(utcnow()))
    if not role_names and provider.default_role and session.scalar(by_hand.limit(1)) is None:
        role_names = {provider.default_role}
    roles = {role.name: role for role in session.scalars(sa.select(Role).where(Role.name.in_(role_names)))}
    superadmins = lasting_superadmins(session)
    last_rights = set()
    for name in sorted(set(given) - set(roles)):
        with session.begin_nested() as withdrawal:
            user.assignments.remove(given[name])
            session.flush()
            if superadmins > 0 and lasting_superadmins(session) == 0:
                # The last administrator keeps the role, whatever the provider's claims.
                withdrawal.rollback()
                last_rights.add(name)
    for name in sorted(set(roles) - set(given)):
        user.assignments.append(UserRole(role=roles[name], source=SOURCE))
    session.flush()
    before, after = sorted(given), sorted(set(roles) | last_rights)
    if before != after or last_rights:
        audit.record(
            session, actor, "user.roles_mapped", target_of(user), before={"roles": before}, after={"roles": after}
        )


def _address(claims: Mapping[str, Any]) -> str | None:
    """The e-mail address, where the provider wrote it as it is compared here (ASCII, case aside).

    What only looks like an address after normalisation (full-width letters, the Kelvin sign) is another mailbox than
    the one it looks like: the provider has verified nothing about that.
    """
    value = claims.get("email")
    try:
        return value if isinstance(value, str) and value.isascii() and clean_email(value) == value else None
    except ValueError:
        return None


def _display_name(claims: Mapping[str, Any]) -> str:
    value = claims.get("name")
    return only_shown(value).strip()[:120] if isinstance(value, str) else ""
