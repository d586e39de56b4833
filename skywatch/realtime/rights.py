"""What a subscriber may hear, worked out once from the identity by the same policy that decides for REST."""

from __future__ import annotations

from dataclasses import dataclass

from skywatch.core.bus import Audience
from skywatch.realtime.topics import GATES, OVERSIGHT, TOPICS, gate_of
from skywatch.security.contexts import AccessLookup, prepared_context
from skywatch.security.identity import Identity
from skywatch.security.permissions import Permission
from skywatch.security.policy import decide
from skywatch.settings import AuthMode

# What a refusal of the policy says, besides the plain lack of a permission.
REASONS = frozenset({"feature_disabled", "scope_denied"})


@dataclass(frozen=True)
class Rights:
    """The topics that are open, and what within them may be seen.

    ``military`` and ``details`` are ``aircraft.view_military`` and ``aircraft.view_details``; ``holds`` are the
    gates and oversight permissions that the policy grants.
    """

    topics: frozenset[str]
    military: bool
    details: bool
    user_id: int | None
    holds: frozenset[Permission]

    def may_receive(self, event: str, audience: Audience) -> bool:
        """Whether a message on an open topic is for this subscriber."""
        gate = gate_of(event)
        if gate is not None and gate not in self.holds:
            return False
        if audience.military and not self.military:
            return False
        if not audience.users or self.user_id in audience.users:
            return True
        return audience.manage_permission in self.holds


def refusal(identity: Identity | None, permission: Permission, mode: AuthMode, access: AccessLookup) -> str | None:
    """None where the policy allows the permission, else the code of the refusal."""
    decision = decide(prepared_context(permission.feature, mode, access(permission.feature)), identity, permission)
    if decision:
        return None
    reason = str(getattr(decision, "msg", ""))
    if reason in REASONS:
        return reason
    return "permission_denied" if identity is not None else "authentication_required"


def rights_of(identity: Identity | None, mode: AuthMode, access: AccessLookup) -> Rights:
    """All decisions of the policy for one identity (None is an anonymous subscriber)."""

    def may(permission: Permission) -> bool:
        return refusal(identity, permission, mode, access) is None

    return Rights(
        topics=frozenset(topic.name for topic in TOPICS.values() if may(topic.permission)),
        military=may(Permission.AIRCRAFT_VIEW_MILITARY),
        details=may(Permission.AIRCRAFT_VIEW_DETAILS),
        user_id=identity.user_id if identity is not None else None,
        holds=frozenset(p for p in (*GATES.values(), *OVERSIGHT) if may(p)),
    )
