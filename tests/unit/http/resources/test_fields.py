"""Bodies as typed values."""

from types import SimpleNamespace

import msgspec
import pytest

from skywatch.http.resources.fields import UNSET, Fields, UnsetType, body_of


class SpanFields(Fields):
    name: str | UnsetType = UNSET
    end: int | UnsetType | None = UNSET
    from_: int = msgspec.field(name="from", default=0)


def test_absent_is_not_null():
    fields = SpanFields.of({"end": None, "from": 3})
    assert fields.name is UNSET
    assert fields.end is None
    assert fields.given() == {"end": None, "from_": 3}


def test_a_member_that_the_struct_lacks_is_refused():
    with pytest.raises((TypeError, KeyError)):
        SpanFields.of({"nmae": "x"})


def test_a_body_is_only_given_as_the_struct_of_its_schema():
    request = SimpleNamespace(validated={"body": SpanFields()})
    assert body_of(request, SpanFields) is request.validated["body"]
    with pytest.raises(TypeError):
        body_of(request, Fields)
