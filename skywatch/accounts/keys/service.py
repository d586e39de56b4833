"""API keys: created by their owner, shown once, stored as a hash."""

from __future__ import annotations

import hashlib
import secrets
import string
from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.identity.caller import Caller, check_covers
from skywatch.accounts.models import ApiKey, User
from skywatch.accounts.names import username_key
from skywatch.accounts.users.service import get_user, permissions_of, with_roles
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, invalid, not_found
from skywatch.core.storage import audit
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

PREFIX = "sk_"
ALPHABET = string.ascii_letters + string.digits
SECRET_LENGTH = 48
SHOWN_LENGTH = len(PREFIX) + 8
MAX_LIVE_KEYS = 50
MAX_EXPIRED_KEYS = 50
# Expired keys that one new key removes at most: an installation may have many from before there was a limit.
MAX_REMOVALS = 100


def find_keys(session: Session, owner_id: int, *, limit: int, offset: int) -> tuple[Sequence[ApiKey], int]:
    """A page of an owner's keys, the newest first, and how many there are."""
    query = sa.select(ApiKey).where(ApiKey.user_id == owner_id)
    count = session.scalar(sa.select(sa.func.count()).select_from(query.subquery())) or 0
    return session.scalars(query.order_by(ApiKey.id.desc()).limit(limit).offset(offset)).all(), count


def get_service(session: Session, rights: frozenset[Permission], user_id: int) -> User:
    """A service account whose keys a caller with these rights manages.

    Raises Problem: 400 where there is no such account, or it is a person's, who creates their own keys; 403 where it
    holds more than the caller.
    """
    user = session.scalars(sa.select(User).where(User.id == user_id).options(with_roles())).one_or_none()
    if user is None or not user.is_service:
        raise invalid(
            "user",
            sentence("accounts.no_service_account", "there is no such service account; people create their own keys"),
        )
    check_covers(rights, permissions_of(user), sentence("accounts.the_user", "The user"))
    return user


def create_key(
    session: Session,
    caller: Caller,
    name: str,
    scopes: Sequence[str],
    expires_at: datetime | None,
    service_id: int | None = None,
) -> tuple[ApiKey, str]:
    """A new key of the caller's own or of a service account, and its text, which is not stored.

    At most 50 of one owner may be alive at a time; of the expired ones the 50 created last stay. Raises Problem
    (400, 403, 409).
    """
    rights = caller.begin(session, Permission.USERS_EDIT if service_id is not None else None)
    service = get_service(session, rights, service_id) if service_id is not None else None
    now = utcnow()
    owner_id = service.id if service is not None else caller.actor.user_id
    live = sa.select(sa.func.count(ApiKey.id)).where(
        ApiKey.user_id == owner_id, sa.or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > now)
    )
    if (session.scalar(live) or 0) >= MAX_LIVE_KEYS:
        raise Problem(
            "conflict",
            sentence(
                "accounts.too_many_keys",
                "There are {maximum} live keys already; delete one first.",
                maximum=MAX_LIVE_KEYS,
            ),
        )
    text = PREFIX + "".join(secrets.choice(ALPHABET) for _ in range(SECRET_LENGTH))
    key = ApiKey(
        user_id=owner_id,
        name=name,
        key_prefix=text[:SHOWN_LENGTH],
        key_hash=hashlib.sha256(text.encode()).hexdigest(),
        scopes=sorted(set(scopes)),
        created_at=now,
        expires_at=expires_at,
    )
    session.add(key)
    session.flush()
    owner = {"owner": service.username} if service is not None else {}
    after = {"scopes": key.scopes, "expires_at": key.expires_at, "key_prefix": key.key_prefix, **owner}
    audit.record(session, caller.actor, "api_key.created", audit.Target("api_key", key.id, name), after=after)
    expired = sa.select(ApiKey).where(ApiKey.user_id == owner_id, ApiKey.expires_at <= now).order_by(ApiKey.id.desc())
    for old in session.scalars(expired.offset(MAX_EXPIRED_KEYS).limit(MAX_REMOVALS)).all():
        _delete(session, caller, old, owner)
    return key, text


def find_keys_of_all(
    session: Session, *, owner: str | None, before_id: int | None, limit: int
) -> Sequence[tuple[ApiKey, User]]:
    """Keys of everybody, the newest first, with their owners and what these hold; ``owner`` is a username."""
    query = sa.select(ApiKey, User).join(User, User.id == ApiKey.user_id).options(with_roles())
    if owner is not None:
        query = query.where(User.username_key == username_key(owner))
    if before_id is not None:
        query = query.where(ApiKey.id < before_id)
    rows = session.execute(query.order_by(ApiKey.id.desc()).limit(limit)).all()
    return [(row[0], row[1]) for row in rows]


def delete_key(session: Session, caller: Caller, key_id: int) -> None:
    """Revoke a key of the caller's own; raises Problem (404) where it is not."""
    caller.begin(session)
    key = session.get(ApiKey, key_id)
    if key is None or key.user_id != caller.actor.user_id:
        raise not_found(sentence("thing.api_key", "API key"))
    _delete(session, caller, key, {})


def delete_service_key(session: Session, caller: Caller, key_id: int, service_id: int) -> None:
    """Revoke a key of a service account; raises Problem (400, 403), and 404 where it is another's."""
    rights = caller.begin(session, Permission.USERS_EDIT)
    service = get_service(session, rights, service_id)
    key = session.get(ApiKey, key_id)
    if key is None or key.user_id != service.id:
        raise not_found(sentence("thing.api_key", "API key"))
    _delete(session, caller, key, {"owner": service.username})


def revoke_key(session: Session, caller: Caller, key_id: int) -> ApiKey:
    """Revoke a key of a user whose permissions are within the caller's own; raises Problem (403, 404)."""
    rights = caller.begin(session, Permission.USERS_EDIT)
    key = session.get(ApiKey, key_id)
    if key is None:
        raise not_found(sentence("thing.api_key", "API key"))
    owner = get_user(session, key.user_id)
    check_covers(rights, permissions_of(owner), sentence("accounts.the_user", "The user"))
    _delete(session, caller, key, {"owner": owner.username})
    return key


def _delete(session: Session, caller: Caller, key: ApiKey, more: dict[str, str]) -> None:
    before = {"scopes": key.scopes, "expires_at": key.expires_at, "key_prefix": key.key_prefix, **more}
    audit.record(session, caller.actor, "api_key.deleted", audit.Target("api_key", key.id, key.name), before=before)
    session.delete(key)


def is_active(key: ApiKey) -> bool:
    """Whether a key can be used as far as it depends on the key."""
    return key.expires_at is None or key.expires_at > utcnow()
