"""Members of an aircraft that features declare: in the answer, in the OpenAPI document, and behind their permission."""

from __future__ import annotations

import colander
import pytest

from skywatch.aircraft import members
from skywatch.aircraft.schemas import AircraftDetail
from skywatch.core.feature import DeclarationError, Feature, FeatureSet
from skywatch.core.hooks import AircraftMember
from skywatch.core.rule_fields import RuleField
from skywatch.features import FEATURES
from skywatch.http.openapi.schemas import SchemaWriter
from skywatch.http.resources.schema import JsonInteger, Nullable
from skywatch.security.permissions import Permission
from skywatch.security.visibility import EVERYTHING, Visibility

PHOTOS = colander.SchemaNode(Nullable(JsonInteger()), description="Photographs.")


def count_photos(runtime, session, addresses, visibility):
    """The photographs of each aircraft; there are some of one."""
    return {address: 3 for address in addresses if address == "4B1601"}


MEMBER = AircraftMember(
    name="test_photos", schema=lambda: PHOTOS, permissions=("aircraft.view_details",), values=count_photos
)
WITH_PHOTOS = FeatureSet([*FEATURES, Feature(name="test_photos", provides=(MEMBER,))])


def test_the_document_names_the_members_of_the_installed_features():
    def properties(features):
        writer = SchemaWriter(features, closed=True)
        writer.write(AircraftDetail(), request=False)
        return writer.components["AircraftDetail"]["properties"]

    names = list(properties(WITH_PHOTOS))
    assert names.index("acars_messages") < names.index("test_photos") == len(names) - 1
    assert properties(WITH_PHOTOS)["test_photos"]["description"] == "Photographs."
    assert "test_photos" not in properties(FEATURES)
    assert "acars_messages" not in properties(FeatureSet(()))


@pytest.mark.parametrize(
    ("visibility", "address", "photos"),
    [(EVERYTHING, "4b1601", 3), (EVERYTHING, "4b1602", None), (Visibility(1, frozenset()), "4b1601", None)],
)
def test_a_member_is_null_without_a_value_or_its_permission(client, visibility, address, photos):
    with client.runtime.sessions() as session:
        assert members.values(client.runtime, session, WITH_PHOTOS, visibility, address)["test_photos"] == photos


def test_messages_are_null_without_their_permission(client):
    with client.runtime.sessions() as session:
        seen = members.values(client.runtime, session, FEATURES, EVERYTHING, "4b1601")
        unseen = members.values(
            client.runtime, session, FEATURES, Visibility(1, frozenset({"aircraft.view"})), "4b1601"
        )
    assert (seen["acars_messages"], unseen["acars_messages"]) == (0, None)


def test_two_features_cannot_declare_the_same_member():
    with pytest.raises(DeclarationError, match="member of an aircraft test_photos is declared twice"):
        FeatureSet([Feature(name=name, provides=(MEMBER,)) for name in ("a", "b")])


def test_every_permission_that_a_member_or_a_rule_field_names_is_in_the_table():
    named = {name for member in FEATURES.provided(AircraftMember) for name in member.permissions}
    named |= {field.permission for field in FEATURES.provided(RuleField) if field.permission}
    assert named <= set(Permission)
