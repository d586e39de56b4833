"""An answer has the members that its schema names."""

from types import SimpleNamespace

import colander
import pytest

from skywatch.http.resources.answer import answer
from skywatch.http.resources.schema import JsonInteger, JsonString, Schema


class Thing(Schema):
    name = colander.SchemaNode(JsonString())
    size = colander.SchemaNode(JsonInteger())


class LargeThing(Thing):
    owner = colander.SchemaNode(JsonString())


def test_members_come_from_the_object_or_are_computed():
    row = SimpleNamespace(name="a", size=3, secret="b")
    assert answer(Thing, row) == {"name": "a", "size": 3}
    assert answer(LargeThing, row, owner="me", size=4) == {"name": "a", "size": 4, "owner": "me"}


def test_members_stand_in_the_order_of_the_schema():
    row = SimpleNamespace(owner="me", size=3)
    assert list(answer(LargeThing, row, name="a")) == ["name", "size", "owner"]


def test_a_single_member_or_none_may_be_an_attribute():
    assert answer(Thing, SimpleNamespace(size=3), name="a") == {"name": "a", "size": 3}
    assert answer(Thing, None, size=3, name="a") == {"name": "a", "size": 3}


def test_what_the_schema_does_not_name_or_nobody_says_is_a_mistake():
    row = SimpleNamespace(name="a", size=3)
    with pytest.raises(TypeError, match="Thing has no owner"):
        answer(Thing, row, owner="me")
    with pytest.raises(AttributeError):
        answer(LargeThing, row)
