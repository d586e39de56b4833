"""Whether a caller has proved who they are a moment ago, for what a session that was left open must not do."""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.models import Login
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem
from skywatch.sentences import sentence

# The proof of identity (a password, or single sign-on) may be this old.
PROOF = timedelta(minutes=15)
SIGN_IN_AGAIN = sentence(
    "accounts.sign_in_again",
    "Sign in again first: this is done within 15 minutes of a sign-in with a password or single sign-on only.",
)


def is_proved(session: Session, login_id: str | None) -> bool:
    """Whether a login began within the last 15 minutes; an API key has none."""
    since = utcnow() - PROOF
    begun = sa.select(Login.id).where(Login.id == login_id, Login.ended_at.is_(None), Login.created_at >= since)
    return login_id is not None and session.scalar(begun) is not None


def check_proof(session: Session, login_id: str | None) -> None:
    """Raise Problem (403) with the way to sign in again."""
    if not is_proved(session, login_id):
        raise Problem("permission_denied", SIGN_IN_AGAIN)
