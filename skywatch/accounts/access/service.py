"""The access settings of features."""

from __future__ import annotations

from sqlalchemy.orm import Session

from skywatch.accounts.access.schemas import AccessChangeFields
from skywatch.accounts.identity.caller import Caller
from skywatch.accounts.models import FeatureAccessSetting
from skywatch.core.problems import not_found
from skywatch.core.storage import audit
from skywatch.security.contexts import default_access
from skywatch.security.permissions import FEATURES, Permission
from skywatch.sentences import sentence

FIELDS = ("read_access", "write_access", "is_enabled")


def find_access(session: Session) -> list[FeatureAccessSetting]:
    """All settings, in the order of the features."""
    return [get_access(session, feature) for feature in FEATURES]


def get_access(session: Session, feature: str) -> FeatureAccessSetting:
    """The setting of a feature, the default one where none is stored; raises Problem (404)."""
    if feature not in FEATURES:
        raise not_found(sentence("thing.feature", "feature"))
    stored = session.get(FeatureAccessSetting, feature)
    if stored is not None:
        return stored
    access = default_access(feature)
    return FeatureAccessSetting(
        feature=feature,
        read_access=access.read_access,
        write_access=access.write_access,
        is_enabled=access.is_enabled,
    )


def change_access(session: Session, caller: Caller, feature: str, fields: AccessChangeFields) -> FeatureAccessSetting:
    """Change a setting, in force at once everywhere."""
    caller.begin(session, Permission.SYSTEM_MANAGE)
    setting = get_access(session, feature)
    before = {name: getattr(setting, name) for name in FIELDS}
    for name, value in fields.given().items():
        setattr(setting, name, value)
    if setting not in session:
        session.add(setting)
    after = {name: getattr(setting, name) for name in FIELDS}
    target = audit.Target("feature_access", feature, feature)
    audit.record(session, caller.actor, "feature_access.changed", target, before=before, after=after)
    session.flush()
    return setting
