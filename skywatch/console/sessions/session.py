"""The console's session: a login like every other, proved by a signed cookie that counts under ``/console`` alone.

The cookie says which login, until when at the latest, and when its owner was last seen. It is signed with a key of
its own, so that it is no token of the API and no token is a session. Whether the login goes on is asked of the same
memory as for tokens: logout, a new password, deactivation and deletion end it as fast, and a steady visitor costs no
database query.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from pyramid.response import Response
from webob.cookies import SignedSerializer

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.accounts.identity.tokens import THROWAWAY_SECRET
from skywatch.console.routes import HOME
from skywatch.console.settings import ConsoleSettings
from skywatch.core.clock import unix_now
from skywatch.core.network.addresses import host_of, is_loopback
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.http.requests.request import Request
from skywatch.security.identity import Identity
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence
from skywatch.settings import Settings

COOKIE = "skywatch_console"
# The moment a visitor was last seen is written down in the cookie once in so long.
SEEN_EVERY_S = 60.0
# A page that its script asks for again is nobody's visit: the session of an open page ends like that of a closed one.
BY_SCRIPT = "X-Skywatch-Refresh"
_DIRECTORIES = frozenset(p.feature for p in Permission if p.kind == "directory")
ADMINISTRATIVE = frozenset(p for p in Permission if p.feature in _DIRECTORIES) | {Permission.SYSTEM_MANAGE}


class Session(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What a cookie says; times are unix seconds."""

    user_id: int
    login_id: str
    ends_at: float
    seen_at: float


class _Serializer:
    """How the signer of cookies turns a session into bytes and back."""

    dumps = staticmethod(msgspec.json.encode)
    loads = staticmethod(msgspec.json.Decoder(Session).decode)


class Sessions:
    """Reads and writes the cookie of one installation."""

    def __init__(self, runtime: Runtime) -> None:
        secret = secret_of(runtime.settings)
        self._signer = SignedSerializer(secret, "skywatch console session", serializer=_Serializer)
        self._authenticator = runtime.shared(Authenticator)
        self._idle_s = runtime.settings.of(ConsoleSettings).console_idle_minutes * 60.0

    def identify(self, request: Request) -> Identity | None:
        """The caller; raises Problem where the session is over (401) or its owner no longer administers (403)."""
        session = self.read(request)
        if session is None:
            return None
        identity = self._authenticator.identify_session(session.user_id, session.login_id, session.ends_at)
        if not is_administrative(identity.permissions):
            raise not_administrative()
        is_visit = BY_SCRIPT not in request.headers
        if is_visit and unix_now() - session.seen_at >= min(SEEN_EVERY_S, self._idle_s / 4):
            request.add_response_callback(lambda _, response: self._renew(request, response, session))
        return identity

    def read(self, request: Request) -> Session | None:
        """What the cookie says, None without one; raises Problem (401) where it is not ours or its time is over."""
        text = request.cookies.get(COOKIE)
        if not text:
            return None
        try:
            session: Session = self._signer.loads(text.encode("utf-8", "surrogateescape"))
        except (ValueError, msgspec.MsgspecError):
            raise Problem(
                "token_invalid", sentence("console.cookie_invalid", "The session's cookie is not valid.")
            ) from None
        now = unix_now()
        if now >= session.ends_at or now >= session.seen_at + self._idle_s:
            raise Problem("token_expired", sentence("console.session_ended", "The session has ended."))
        return session

    def begin(self, request: Request, response: Response, user_id: int, login_id: str, ends_at: datetime) -> None:
        """Give the browser the cookie of a new login."""
        self._write(request, response, Session(user_id, login_id, ends_at.timestamp(), unix_now()))

    def forget(self, request: Request, response: Response) -> None:
        """Have the browser forget the session."""
        set_cookie(request, response, COOKIE, "", max_age_s=0)

    def _renew(self, request: Request, response: Response, session: Session) -> None:
        if not any(header.startswith(f"{COOKIE}=") for header in response.headers.getall("Set-Cookie")):
            self._write(request, response, Session(session.user_id, session.login_id, session.ends_at, unix_now()))

    def _write(self, request: Request, response: Response, session: Session) -> None:
        set_cookie(request, response, COOKIE, self._signer.dumps(session).decode("ascii"))


def is_administrative(permissions: frozenset[Permission]) -> bool:
    """Whether somebody with these permissions finds anything to do in the console."""
    return not permissions.isdisjoint(ADMINISTRATIVE)


def not_administrative() -> Problem:
    """403 for a user who may log in, but has nothing to administer."""
    return Problem(
        "permission_denied",
        sentence(
            "console.not_for_account", "Your account holds no administrative permission; the console is not for it."
        ),
    )


def secret_of(settings: Settings) -> str:
    """What the console's keys are made from."""
    return settings.secret or THROWAWAY_SECRET


def is_secure(settings: Settings) -> bool:
    """Whether cookies travel over TLS alone."""
    return settings.environment == "production"


def needs_tls(request: Request) -> bool:
    """Whether the browser would not send the cookies of this page back, because it was reached without TLS."""
    return is_secure(request.runtime.settings) and request.scheme != "https" and not is_loopback(host_of(request.host))


def set_cookie(request: Request, response: Any, name: str, value: str, *, max_age_s: int | None = None) -> None:
    """A cookie that scripts and other sites do not get, and that no address outside the console sees."""
    response.set_cookie(
        name,
        value,
        max_age=max_age_s,
        path=request.path_prefix + HOME,
        secure=is_secure(request.runtime.settings),
        httponly=True,
        samesite="Lax",
        overwrite=True,
    )
