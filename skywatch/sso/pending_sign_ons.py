"""Sign-ons under way: stored in the database, because another process may receive the answer; each is used once."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem
from skywatch.sentences import sentence
from skywatch.sso import problems
from skywatch.sso.models import PendingLogin

LIFETIME = timedelta(minutes=10)
# One browser that begins over and over again keeps only its last few.
MAX_PER_BROWSER = 10


@dataclass(frozen=True, repr=False)
class Begun:
    """What a sign-on begins with; ``browser`` goes into the cookie, the rest to the provider."""

    state: str
    browser: str
    nonce: str
    verifier: str


def begin(session: Session, *, provider: str, redirect_uri: str, opener_origin: str, browser: str | None) -> Begun:
    """Note a new sign-on; a browser that has another one under way keeps its name."""
    now = utcnow()
    begun = Begun(
        secrets.token_urlsafe(32),
        browser or secrets.token_urlsafe(32),
        secrets.token_urlsafe(32),
        secrets.token_urlsafe(48),
    )
    session.execute(sa.delete(PendingLogin).where(PendingLogin.expires_at <= now))
    mine = PendingLogin.browser_hash == digest(begun.browser)
    older = sa.select(PendingLogin.state_hash).where(mine).order_by(PendingLogin.created_at.desc())
    surplus = list(session.scalars(older.offset(MAX_PER_BROWSER - 1)))
    if surplus:
        session.execute(sa.delete(PendingLogin).where(PendingLogin.state_hash.in_(surplus)))
    session.add(
        PendingLogin(
            state_hash=digest(begun.state),
            browser_hash=digest(begun.browser),
            provider=provider,
            redirect_uri=redirect_uri,
            opener_origin=opener_origin,
            nonce=begun.nonce,
            verifier=begun.verifier,
            created_at=now,
            expires_at=now + LIFETIME,
        )
    )
    session.flush()
    return begun


def take(session: Session, *, state: str | None, browser: str | None, needs_browser: bool) -> PendingLogin:
    """Take the sign-on that an answer belongs to, once; raises Problem (401).

    It is found by its state, or by the browser's cookie where only a code comes back. A browser with a cookie of
    another sign-on is refused, and the sign-on stays for the browser that began it.
    """
    if state is not None:
        which = PendingLogin.state_hash == digest(state)
    elif browser is not None:
        which = PendingLogin.browser_hash == digest(browser)
    else:
        raise Problem(
            problems.STATE_UNKNOWN,
            sentence("sso.no_state", "The answer has no state, and the browser no cookie of a sign-on."),
        )
    query = sa.select(PendingLogin).where(which, PendingLogin.expires_at > utcnow())
    pending = session.scalars(query.order_by(PendingLogin.created_at.desc()).limit(1)).one_or_none()
    if pending is None:
        raise Problem(
            problems.STATE_UNKNOWN,
            sentence("sso.state_unknown", "The sign-on is unknown, has been used or has run out; begin again."),
        )
    if pending.browser_hash != digest(browser or "") and (browser is not None or needs_browser):
        raise Problem(problems.OTHER_BROWSER)
    session.expunge(pending)
    taken = session.execute(sa.delete(PendingLogin).where(PendingLogin.state_hash == pending.state_hash))
    if taken.rowcount != 1:  # type: ignore[attr-defined]
        raise Problem(problems.STATE_UNKNOWN, sentence("sso.state_used", "The sign-on has been used; begin again."))
    return pending


def digest(text: str) -> str:
    """The stored form of secrets."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
