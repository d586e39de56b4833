"""People for tests: users, roles, logins and API keys made directly in a database, and credentials for them."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

import sqlalchemy as sa

from skywatch.accounts.changes import begin_change
from skywatch.accounts.defaults import install
from skywatch.accounts.identity.tokens import TokenCodec, new_token_id
from skywatch.accounts.models import PERSON, ApiKey, Login, Role, User, UserRole
from skywatch.accounts.passwords.hashing import hash_password
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing

PASSWORD = "a quiet night over the Jura"
TEST_SECRET = "only-for-tests-0123456789abcdef0123456789"
_HASH = hash_password(PASSWORD)


class Population:
    """The people of one runtime's database."""

    def __init__(self, runtime):
        self.runtime = runtime
        self.codec = TokenCodec(runtime.settings)
        with writing(runtime.sessions) as session:
            install(session)

    def role(self, name, permissions):
        """A role of the installation's own; gives its number."""
        with writing(self.runtime.sessions) as session:
            begin_change(session)
            role = Role(name=name, display_name=name.title(), permissions=sorted(permissions), priority=5)
            session.add(role)
            session.flush()
            return role.id

    def user(self, name, *roles, active=True, expires_at: datetime | None = None, kind=PERSON):
        """A user with the password ``PASSWORD``, or a program without; gives the number."""
        with writing(self.runtime.sessions) as session:
            begin_change(session)
            return self._add(session, name, roles, active, expires_at, kind)

    def users(self, roles):
        """Users by name from their roles by name, with the password ``PASSWORD``; gives the numbers by name."""
        with writing(self.runtime.sessions) as session:
            begin_change(session)
            return {name: self._add(session, name, (role,)) for name, role in roles.items()}

    def _add(self, session, name, roles, active=True, expires_at=None, kind=PERSON):
        is_person = kind == PERSON
        user = User(
            username=name,
            username_key=name.casefold(),
            email=f"{name}@example.org" if is_person else "",
            email_key=f"{name}@example.org".casefold() if is_person else None,
            kind=kind,
            auth_provider="local" if is_person else "none",
            display_name=name.title(),
            password_hash=_HASH if is_person else None,
            is_active=active,
        )
        session.add(user)
        session.flush()
        for role_name in roles:
            role_id = session.scalars(sa.select(Role.id).where(Role.name == role_name)).one()
            session.add(UserRole(user_id=user.id, role_id=role_id, expires_at=expires_at))
        return user.id

    def login(self, user_id):
        """A new login; gives its number and the number of its refresh token."""
        login = self._new_login(user_id)
        with writing(self.runtime.sessions) as session:
            session.add(login)
        return login

    def _new_login(self, user_id):
        return Login(
            id=new_token_id(),
            user_id=user_id,
            method="password",
            refresh_id=new_token_id(),
            expires_at=utcnow() + timedelta(days=1),
        )

    def bearers(self, ids):
        """The headers of new logins by name, of users by name."""
        with writing(self.runtime.sessions) as session:
            logins = {name: self._new_login(user_id) for name, user_id in ids.items()}
            session.add_all(logins.values())
        return {
            name: {"Authorization": f"Bearer {self.codec.access_token(login.user_id, login.id)}"}
            for name, login in logins.items()
        }

    def token(self, user_id):
        """An access token of a new login."""
        return self.codec.access_token(user_id, self.login(user_id).id)

    def bearer(self, user_id):
        """The header of a new login."""
        return {"Authorization": f"Bearer {self.token(user_id)}"}

    def key(self, user_id, *scopes, expires_at: datetime | None = None):
        """A new API key's text."""
        text = "sk_" + new_token_id() + new_token_id()[:16]
        with writing(self.runtime.sessions) as session:
            session.add(
                ApiKey(
                    user_id=user_id,
                    name="test",
                    key_prefix=text[:11],
                    key_hash=hashlib.sha256(text.encode()).hexdigest(),
                    scopes=list(scopes),
                    expires_at=expires_at,
                )
            )
        return text
