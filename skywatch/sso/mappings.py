"""Claim mappings: find, create, change and delete them; none gives more than its author has."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session, joinedload

from skywatch.accounts.identity.caller import Caller, check_covers
from skywatch.accounts.models import Role
from skywatch.accounts.users.service import permissions_of_role
from skywatch.core.problems import Problem, invalid, not_found
from skywatch.core.storage import audit
from skywatch.core.text.expressions import ExpressionFault
from skywatch.http.resources.fields import UNSET
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence
from skywatch.sso.claims import Rule, compile_pattern
from skywatch.sso.models import ClaimMapping
from skywatch.sso.schemas import MappingChangeFields, MappingCreateFields

FIELDS = ("name", "claim_name", "match_type", "claim_value", "priority", "is_active", "provider")


def find_mappings(session: Session, *, limit: int, offset: int) -> tuple[Sequence[ClaimMapping], int]:
    """A page of mappings, the highest priority first, and how many there are."""
    count = session.scalar(sa.select(sa.func.count(ClaimMapping.id))) or 0
    query = sa.select(ClaimMapping).options(joinedload(ClaimMapping.role))
    query = query.order_by(ClaimMapping.priority.desc(), ClaimMapping.name)
    return session.scalars(query.limit(limit).offset(offset)).all(), count


def get_mapping(session: Session, mapping_id: int) -> ClaimMapping:
    """A mapping; raises Problem (404)."""
    mapping = session.get(ClaimMapping, mapping_id, options=[joinedload(ClaimMapping.role)])
    if mapping is None:
        raise not_found(sentence("thing.claim_mapping", "claim mapping"))
    return mapping


def active_rules(session: Session) -> list[Rule]:
    """All active mappings as values."""
    query = sa.select(ClaimMapping).where(ClaimMapping.is_active).options(joinedload(ClaimMapping.role))
    return [
        Rule(row.name, row.claim_name, row.match_type, row.claim_value, row.role.name, row.priority, row.provider)
        for row in session.scalars(query)
    ]


def create_mapping(
    session: Session, caller: Caller, fields: MappingCreateFields, providers: Collection[str]
) -> ClaimMapping:
    """A new mapping; ``providers`` are the names there are. Raises Problem (400, 403, 409)."""
    rights = caller.begin(session, Permission.ROLES_EDIT)
    mapping = ClaimMapping()
    _fill(mapping, fields)
    mapping.role = _role(session, rights, fields.role)
    _check_pattern(mapping)
    _check_provider(mapping, None, providers)
    _check_unique(session, mapping)
    session.add(mapping)
    session.flush()
    audit.record(session, caller.actor, "claim_mapping.created", target_of(mapping), after=_audited(mapping))
    return mapping


def update_mapping(
    session: Session, caller: Caller, mapping_id: int, fields: MappingChangeFields, providers: Collection[str]
) -> ClaimMapping:
    """Change a mapping; in force from each person's next login on. Raises Problem (400, 403, 404, 409)."""
    rights = caller.begin(session, Permission.ROLES_EDIT)
    mapping = get_mapping(session, mapping_id)
    check_covers(rights, permissions_of_role(mapping.role), sentence("accounts.the_role", "The role"))
    before = _audited(mapping)
    with session.no_autoflush:
        _fill(mapping, fields)
        if fields.role is not UNSET:
            mapping.role = _role(session, rights, fields.role)
        _check_pattern(mapping)
        _check_provider(mapping, before["provider"], providers)
        _check_unique(session, mapping)
    session.flush()
    after = _audited(mapping)
    audit.record(session, caller.actor, "claim_mapping.changed", target_of(mapping), before=before, after=after)
    return mapping


def delete_mapping(session: Session, caller: Caller, mapping_id: int) -> None:
    """Delete a mapping; roles that it gave go at each person's next login."""
    rights = caller.begin(session, Permission.ROLES_EDIT)
    mapping = get_mapping(session, mapping_id)
    check_covers(rights, permissions_of_role(mapping.role), sentence("accounts.the_role", "The role"))
    audit.record(session, caller.actor, "claim_mapping.deleted", target_of(mapping), before=_audited(mapping))
    session.delete(mapping)


def target_of(mapping: ClaimMapping) -> audit.Target:
    """The mapping as the audit log names it."""
    return audit.Target("claim_mapping", mapping.id, mapping.name)


def _fill(mapping: ClaimMapping, fields: MappingChangeFields) -> None:
    """Set what the request names, apart from the role."""
    for name, value in fields.given().items():
        if name != "role":
            setattr(mapping, name, value)


def _role(session: Session, rights: frozenset[Permission], name: str) -> Role:
    role = session.scalars(sa.select(Role).where(Role.name == name)).one_or_none()
    if role is None:
        raise invalid("role", sentence("sso.no_role", "there is no such role"))
    check_covers(rights, permissions_of_role(role), sentence("accounts.the_role", "The role"))
    return role


def _check_pattern(mapping: ClaimMapping) -> None:
    # One that an older version accepted can be switched off as it is.
    if mapping.match_type == "regex" and mapping.is_active is not False:
        try:
            compile_pattern(mapping.claim_value)
        except ExpressionFault as fault:
            raise invalid("claim_value", str(fault)) from None


def _check_provider(mapping: ClaimMapping, before: str | None, providers: Collection[str]) -> None:
    """A misspelt name would never match. An existing name may stay if it was removed from the settings."""
    if mapping.provider not in (None, before, *providers) and providers:
        raise invalid(
            "provider",
            sentence(
                "sso.no_provider_of",
                "there is no such identity provider; there are {names}",
                names=", ".join(providers),
            ),
        )


def _check_unique(session: Session, mapping: ClaimMapping) -> None:
    same = sa.select(ClaimMapping.id).where(ClaimMapping.name == mapping.name)
    if mapping.id is not None:
        same = same.where(ClaimMapping.id != mapping.id)
    with session.no_autoflush:
        if session.scalar(same) is not None:
            raise Problem(
                "conflict", sentence("sso.mapping_name_taken", "There is a claim mapping of this name already.")
            )


def _audited(mapping: ClaimMapping) -> dict[str, Any]:
    return {**{name: getattr(mapping, name) for name in FIELDS}, "role": mapping.role.name}
