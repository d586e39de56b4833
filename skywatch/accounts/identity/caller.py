"""The caller of a change: for the audit log, and for the rule that callers cannot grant what they lack."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy.orm import Session

from skywatch.accounts.changes import begin_change
from skywatch.accounts.identity.rights import load_rights
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import COMMAND_LINE, Actor, Target
from skywatch.http.clients.audit import actor_of, recording_refusals
from skywatch.http.requests.request import Request
from skywatch.security.permissions import Permission
from skywatch.sentences import Sentence, sentence


@dataclass(frozen=True)
class Caller:
    """A caller who changes accounts."""

    actor: Actor

    def begin(self, session: Session, needs: Permission | None = None) -> frozenset[Permission]:
        """Begin a change and give the caller's rights at this moment; raises Problem where ``needs`` was lost."""
        begin_change(session)
        if self.actor.user_id is None:
            return frozenset(Permission)
        rights = load_rights(session, self.actor.user_id)
        if rights is None or not rights.is_active:
            raise Problem("account_disabled")
        if needs is not None and needs not in rights.permissions:
            raise Problem("permission_denied")
        return rights.permissions


CLI_CALLER = Caller(COMMAND_LINE)


def anonymous_actor(request: Request) -> Actor:
    """The sender of a request that is not authenticated yet, whatever credentials it carries."""
    return Actor("", "anonymous", None, request.client_address, request.request_id)


def caller_of(request: Request) -> Caller:
    """The authenticated sender of a request; the permission of the view guarantees that there is one."""
    return Caller(actor_of(request))


@contextmanager
def noting_refusals(request: Request, action: str, target: Target | None = None) -> Iterator[Caller]:
    """Run a change for the caller of a request; a refusal leaves an audit entry (``recording_refusals``)."""
    with recording_refusals(request, action, target) as actor:
        yield Caller(actor)


def check_covers(rights: frozenset[Permission], permissions: frozenset[Permission], what: Sentence) -> None:
    """Raise Problem (403) where ``permissions`` goes beyond the caller's own permissions."""
    lacking = sorted(permissions - rights)
    if lacking:
        raise Problem(
            "permission_denied",
            sentence(
                "accounts.rights_lacking",
                "{what} has rights that you lack: {names}.",
                what=what,
                names=", ".join(lacking),
            ),
        )
