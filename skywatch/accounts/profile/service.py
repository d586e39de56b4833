"""What users do to their own account: their password and their profile."""

from __future__ import annotations

from sqlalchemy.orm import Session

from skywatch.accounts.identity.caller import Caller
from skywatch.accounts.identity.tokens import TokenCodec
from skywatch.accounts.login_tokens import TokenPair, end_logins, has_logged_in_from, start_login
from skywatch.accounts.models import User
from skywatch.accounts.passwords.hashing import hashing, verify_password
from skywatch.accounts.sign_in.attempts import Attempts, GuessLimits, counted_name
from skywatch.accounts.users.schemas import ProfileChangeFields
from skywatch.accounts.users.service import apply_profile, get_user, set_password, target_of
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.network.addresses import network_of
from skywatch.core.problems import Problem, invalid
from skywatch.core.storage import audit
from skywatch.security.identity import person_of_user
from skywatch.sentences import sentence


def change_password(
    sessions: SessionFactory, limits: GuessLimits, codec: TokenCodec, caller: Caller, current: str, new: str
) -> TokenPair:
    """Give the caller a new password, end all their logins and begin a new one; raises Problem (400, 429, 503).

    Whatever comes of it, it counts as a guess: else whoever has a stolen session could try passwords, or have the
    service hash the right one over and over again.
    """
    user_id, actor = caller.actor.user_id, caller.actor
    person = person_of_user(user_id or 0, None)
    hashing.check(person)
    network = network_of(actor.address or "")
    with sessions() as session:
        user = get_user(session, user_id or 0)
        is_known = has_logged_in_from(session, user.id, network)
    attempts = Attempts(limits, counted_name(user.username), network, network_is_known=is_known)
    old_hash = user.password_hash
    with hashing.turn(person):
        attempts.begin()
        attempts.failed()
        if not verify_password(old_hash, current):
            audit.record_apart(sessions, actor, "password.refused", target_of(user))
            raise invalid("current_password", sentence("accounts.not_present_password", "is not the present password"))
        if current == new:
            raise invalid("new_password", sentence("accounts.is_present_password", "is the present password"))
        set_password(user, new, "new_password")
    with writing(sessions) as session:
        caller.begin(session)
        fresh = get_user(session, user.id)
        if fresh.password_hash != old_hash:
            raise Problem(
                "conflict", sentence("accounts.password_changed", "The password has been changed in the meantime.")
            )
        fresh.password_hash = user.password_hash
        end_logins(session, fresh.id, "password changed")
        audit.record(session, actor, "password.changed", target_of(fresh))
        return start_login(session, codec, fresh, "password", actor)


def change_profile(session: Session, caller: Caller, fields: ProfileChangeFields) -> User:
    """Change what users may change themselves."""
    caller.begin(session)
    user = get_user(session, caller.actor.user_id or 0)
    before = {"display_name": user.display_name, "email": user.email}
    apply_profile(session, user, fields, by_user=True)
    after = {"display_name": user.display_name, "email": user.email}
    if before != after:
        audit.record(session, caller.actor, "profile.changed", target_of(user), before=before, after=after)
    session.flush()
    return user
