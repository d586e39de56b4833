"""Users: find, create, change and delete them, within the caller's rights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session, selectinload

from skywatch.accounts.identity.caller import Caller, check_covers
from skywatch.accounts.identity.rights import in_force, role_permissions
from skywatch.accounts.login_tokens import end_login, end_logins, handle_of
from skywatch.accounts.models import SERVICE, Login, PasswordReset, Role, User, UserRole
from skywatch.accounts.names import clean_email, email_key, username_key
from skywatch.accounts.passwords.hashing import hash_password
from skywatch.accounts.passwords.rules import check_password
from skywatch.accounts.superadmins import keeping_a_superadmin
from skywatch.accounts.users.schemas import ProfileChangeFields, UserChangeFields, UserCreateFields
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, invalid, invalid_fields, not_found
from skywatch.core.storage import audit
from skywatch.http.resources.fields import UNSET, UnsetType
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

# Users who hold a role are looked up by their role up to this number, beyond it by their name.
FEW_HOLDERS = 1000


def find_users(
    session: Session, *, search: str | None, is_active: bool | None, role: str | None, limit: int, offset: int
) -> tuple[Sequence[User], int]:
    """A page of users by name, and how many match; ``search`` is part of a name or an e-mail address."""
    query = _matching(session, search, is_active, role)
    count = session.scalar(sa.select(sa.func.count()).select_from(query.subquery())) or 0
    page = query.options(with_roles()).order_by(User.username_key).limit(limit).offset(offset)
    return session.scalars(page).all(), count


def find_users_from(
    session: Session,
    *,
    search: str | None,
    is_active: bool | None,
    role: str | None,
    limit: int,
    after: str | None,
    before: str | None,
) -> Sequence[User]:
    """At most ``limit`` users by name: the first ones, those next to the name ``after``, or those just ``before`` one.

    However far down the list, it reads no more than it gives.
    """
    query = _matching(session, search, is_active, role).options(with_roles()).limit(limit)
    if before is not None:
        query = query.where(User.username_key < username_key(before)).order_by(User.username_key.desc())
        return session.scalars(query).all()[::-1]
    if after is not None:
        query = query.where(User.username_key > username_key(after))
    return session.scalars(query.order_by(User.username_key)).all()


def count_users(session: Session, *, search: str | None, is_active: bool | None, role: str | None, most: int) -> int:
    """How many users match, counted to ``most`` at most."""
    matches = _matching(session, search, is_active, role).with_only_columns(User.id).limit(most).subquery()
    return session.scalar(sa.select(sa.func.count()).select_from(matches)) or 0


def get_user(session: Session, user_id: int) -> User:
    """A user; raises Problem (404)."""
    user = session.scalars(sa.select(User).where(User.id == user_id).options(with_roles())).one_or_none()
    if user is None:
        raise not_found(sentence("thing.user", "user"))
    return user


def create_user(session: Session, caller: Caller, fields: UserCreateFields) -> User:
    """A new user; without a password only single sign-on or an administrator lets it in.

    The account of a program (``kind``) has neither e-mail address nor password; raises Problem (400) for them.
    """
    rights = caller.begin(session, Permission.USERS_CREATE)
    _check_kind(fields.kind, email=fields.email, password=fields.password)
    user = User(
        username=fields.username,
        username_key=username_key(fields.username),
        display_name=fields.display_name or fields.username,
        kind=fields.kind,
        is_active=fields.is_active,
        owner_id=caller.actor.user_id if fields.kind == SERVICE else None,
        auth_provider="none" if fields.kind == SERVICE else "local",
    )
    _set_email(user, fields.email or "")
    _check_unique(session, user)
    if fields.password is not UNSET:
        set_password(user, fields.password, "password")
    session.add(user)
    session.flush()
    set_roles(session, caller, rights, user, fields.roles or [])
    after = _audited(user)
    audit.record(session, caller.actor, "user.created", target_of(user), after=after)
    return user


def update_user(session: Session, caller: Caller, user_id: int, fields: UserChangeFields) -> User:
    """Change a user; a new password or deactivation ends all logins."""
    rights = caller.begin(session, Permission.USERS_EDIT)
    user = get_user(session, user_id)
    check_covers(rights, permissions_of(user), sentence("accounts.the_user", "The user"))
    _check_kind(user.kind, email=fields.email, password=fields.password)
    before = _audited(user)
    with keeping_a_superadmin(session):
        apply_profile(session, user, fields)
        if fields.is_active is not UNSET:
            user.is_active = fields.is_active
        if fields.password is not UNSET:
            set_password(user, fields.password, "password")
        if fields.roles is not UNSET:
            set_roles(session, caller, rights, user, fields.roles)
    has_password = fields.password is not UNSET
    if has_password or not user.is_active:
        end_logins(session, user.id, "password changed" if has_password else "deactivated")
        withdraw_resets(session, user.id)
    after = _audited(user) | ({"password_changed": True} if has_password else {})
    audit.record(session, caller.actor, "user.changed", target_of(user), before=before, after=after)
    return user


def end_one_login(session: Session, caller: Caller, user_id: int, handle: str) -> User:
    """End one login of a user, named by its handle; raises Problem (404) where it has ended."""
    rights = caller.begin(session, Permission.USERS_EDIT)
    user = get_user(session, user_id)
    check_covers(rights, permissions_of(user), sentence("accounts.the_user", "The user"))
    alive = sa.select(Login.id).where(Login.user_id == user.id, Login.ended_at.is_(None))
    login_id = next((candidate for candidate in session.scalars(alive) if handle_of(candidate) == handle), None)
    if login_id is None:
        raise not_found(sentence("thing.login_alive", "login that is alive"))
    end_login(session, login_id, "ended by an administrator")
    audit.record(session, caller.actor, "user.logged_out", target_of(user), after={"logins": 1})
    return user


def end_all_logins(session: Session, caller: Caller, user_id: int) -> tuple[User, int]:
    """Log a user out everywhere; gives the user and how many logins were alive."""
    rights = caller.begin(session, Permission.USERS_EDIT)
    user = get_user(session, user_id)
    check_covers(rights, permissions_of(user), sentence("accounts.the_user", "The user"))
    count = end_logins(session, user.id, "ended by an administrator")
    audit.record(session, caller.actor, "user.logged_out", target_of(user), after={"logins": count})
    return user, count


def delete_user(session: Session, caller: Caller, user_id: int) -> None:
    """Delete a user with all logins, keys and assignments."""
    rights = caller.begin(session, Permission.USERS_DELETE)
    user = get_user(session, user_id)
    check_covers(rights, permissions_of(user), sentence("accounts.the_user", "The user"))
    with keeping_a_superadmin(session):
        audit.record(session, caller.actor, "user.deleted", target_of(user), before=_audited(user))
        session.delete(user)


def apply_profile(session: Session, user: User, fields: ProfileChangeFields, *, by_user: bool = False) -> None:
    """Set what users may also set themselves: display name, e-mail address, preferences.

    ``by_user``: the address is not verified. It is stored, but serves neither login nor linking (it
    has no key), so that it conflicts with none and the answer does not show whose address it is.
    """
    if fields.display_name is not UNSET:
        user.display_name = fields.display_name
    if fields.preferences is not UNSET:
        user.preferences = fields.preferences
    if fields.email is not UNSET:
        if not by_user:
            confirm_email(user, fields.email)
            _check_unique(session, user)
        elif not fields.email or email_key(fields.email) != user.email_key:
            _set_email(user, fields.email)
            user.email_key, user.email_self_given = None, bool(user.email)


def confirm_email(user: User, address: str) -> None:
    """Set an address that an administrator or an identity provider confirms; it serves login and linking."""
    _set_email(user, address)
    user.email_self_given = False


def gave_email(user: User, address: str) -> bool:
    """Return whether it is the address that the user gave themselves and that nobody has confirmed yet."""
    return user.email_self_given and user.email.lower() == address.lower()


def is_email_taken(session: Session, user: User, address: str) -> bool:
    """Return whether another user has the confirmed address."""
    others = sa.select(User.id).where(User.email_key == email_key(address), User.id != user.id)
    return session.scalar(others) is not None


def withdraw_resets(session: Session, user_id: int) -> None:
    """Revoke all links with which a user's password could be reset."""
    session.execute(sa.delete(PasswordReset).where(PasswordReset.user_id == user_id))


def set_password(user: User, password: str, field: str) -> None:
    """Give a user a password; raises Problem (400) naming ``field`` where it is too easy."""
    _check_kind(user.kind, password=password)
    try:
        check_password(password, (user.username, user.email, user.display_name))
    except ValueError as error:
        raise invalid(field, str(error)) from None
    user.password_hash = hash_password(password)


def set_roles(
    session: Session, caller: Caller, rights: frozenset[Permission], user: User, names: Sequence[str]
) -> None:
    """Assign exactly the named roles to a user; assignments that stay keep their end."""
    roles_by_name = {role.name: role for role in session.scalars(sa.select(Role).where(Role.name.in_(names)))}
    unknown = sorted(set(names) - set(roles_by_name))
    if unknown:
        raise invalid("roles", sentence("accounts.unknown_roles", "there is no role {names}", names=", ".join(unknown)))
    now = utcnow()
    unchanged = set()
    for assignment in list(user.assignments):
        if assignment.role.name in roles_by_name and (assignment.expires_at is None or assignment.expires_at > now):
            unchanged.add(assignment.role.name)
        else:
            user.assignments.remove(assignment)
    # Removed ones go first: the same role may come back at once, and only one row of it may exist.
    session.flush()
    for name in sorted(set(roles_by_name) - unchanged):
        role = roles_by_name[name]
        check_covers(
            rights, permissions_of_role(role), sentence("accounts.the_role_named", "The role {name}", name=name)
        )
        user.assignments.append(UserRole(role=role, source="manual", assigned_by=caller.actor.user_id))
    session.flush()


def permissions_of_role(role: Role) -> frozenset[Permission]:
    """What a role gives."""
    return role_permissions(role.name, role.is_system, role.permissions)


def roles_of(user: User) -> list[Role]:
    """The roles that count now, each once, the most privileged first."""
    now = utcnow()
    roles = {a.role.id: a.role for a in user.assignments if a.expires_at is None or a.expires_at > now}
    return sorted(roles.values(), key=lambda role: (-role.priority, role.name))


def permissions_of(user: User) -> frozenset[Permission]:
    """What a user's roles give now, active or not."""
    rights: frozenset[Permission] = frozenset()
    for role in roles_of(user):
        rights |= permissions_of_role(role)
    return rights


def target_of(user: User) -> audit.Target:
    """The user as the audit log names it."""
    return audit.Target("user", user.id, user.username)


def _matching(session: Session, search: str | None, is_active: bool | None, role: str | None) -> sa.Select[User]:
    query = sa.select(User)
    if search is not None:
        folded = username_key(search)
        matches = [
            User.username_key.contains(folded, autoescape=True),
            User.email_key.contains(folded, autoescape=True),
            # An unconfirmed address has no key.
            sa.and_(User.email_key.is_(None), sa.func.lower(User.email).contains(folded, autoescape=True)),
            sa.func.lower(User.display_name).contains(folded, autoescape=True),
        ]
        query = query.where(sa.or_(*matches))
    if is_active is not None:
        query = query.where(User.is_active.is_(is_active))
    if role is not None:
        holders = sa.select(UserRole.user_id).join(Role).where(Role.name == role, in_force(utcnow()))
        few = session.scalars(holders.limit(FEW_HOLDERS)).all()
        if len(few) < FEW_HOLDERS:
            # As values: PostgreSQL would rather try every user by name than begin with the few of a subquery.
            query = query.where(User.id.in_(few))
        else:
            # Where many hold it, a page of users by name is complete long before all holders were collected.
            query = query.where(holders.where(UserRole.user_id == User.id).correlate(User).exists())
    return query


def with_roles() -> Any:
    """The option of a query for users that loads what they hold with them."""
    return selectinload(User.assignments).joinedload(UserRole.role)


def _check_kind(kind: str, **members: str | UnsetType) -> None:
    if kind == SERVICE:
        faults = {
            name: sentence("accounts.service_account_has_none", "a service account has none")
            for name, value in members.items()
            if value
        }
        if faults:
            raise invalid_fields(faults)


def _set_email(user: User, email: str) -> None:
    user.email = clean_email(email) if email else ""
    user.email_key = email_key(email) if email else None


def _check_unique(session: Session, user: User) -> None:
    with session.no_autoflush:
        others = sa.select(User.id).where(User.id != user.id) if user.id is not None else sa.select(User.id)
        if session.scalar(others.where(User.username_key == user.username_key)) is not None:
            raise Problem("conflict", sentence("accounts.user_name_taken", "There is a user of this name already."))
        if user.email_key is not None and session.scalar(others.where(User.email_key == user.email_key)) is not None:
            raise Problem(
                "conflict", sentence("accounts.email_taken", "There is a user with this e-mail address already.")
            )


def _audited(user: User) -> dict[str, Any]:
    return {
        "username": user.username,
        **({"kind": user.kind} if user.is_service else {}),
        "email": user.email,
        "display_name": user.display_name,
        "is_active": user.is_active,
        "roles": sorted(role.name for role in roles_of(user)),
    }
