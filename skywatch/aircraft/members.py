"""The members of one aircraft that other features declare (``AircraftMember``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import colander
from sqlalchemy.orm import Session

from skywatch.core.feature import FeatureSet
from skywatch.core.hooks import AircraftMember
from skywatch.core.runtime import Runtime
from skywatch.security.visibility import Visibility


def nodes(features: FeatureSet) -> Iterator[colander.SchemaNode]:
    """The schema of each member, in the order of the features."""
    for member in features.provided(AircraftMember):
        node = member.schema().clone()
        node.name = member.name
        yield node


def values(
    runtime: Runtime, session: Session, features: FeatureSet, visibility: Visibility, address: str
) -> dict[str, Any]:
    """The members of an aircraft; None for those that the caller has no permission for."""
    key = address.upper()
    return {
        member.name: member.values(runtime, session, {key}, visibility).get(key)
        if visibility.permissions.intersection(member.permissions)
        else None
        for member in features.provided(AircraftMember)
    }
