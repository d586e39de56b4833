"""Lists are counted before their entries are looked at; texts and numbers that no database or client could take."""

import colander
import pytest

from skywatch.http.resources.schema import MAX_ENTRIES, JsonInteger, JsonList, JsonNumber, JsonString, Nullable


class Refusing(JsonInteger):
    """Fails for every entry that is looked at."""

    def deserialize(self, node, cstruct):
        raise AssertionError("an entry was looked at before all were counted")


def fault_of(node, value):
    with pytest.raises(colander.Invalid) as refused:
        node.deserialize(value)
    return refused.value.msg


@pytest.mark.parametrize(
    ("validator", "most"),
    [
        (None, MAX_ENTRIES),
        (colander.Length(max=3), 3),
        (colander.Length(1, 3), 3),
        (colander.Length(min=1), MAX_ENTRIES),
        (colander.All(colander.Length(max=7), colander.Length(max=5)), 5),
    ],
)
def test_a_list_is_counted_before_its_entries_are_looked_at(validator, most):
    node = colander.SchemaNode(JsonList(), colander.SchemaNode(Refusing()), validator=validator)
    assert fault_of(node, [0] * (most + 1)) == f"must have at most {most} entries, not {most + 1}"
    with pytest.raises(AssertionError):
        node.deserialize([0] * most)


@pytest.mark.parametrize("value", [10**400, -(10**400), float("inf"), float("nan"), True, "1", None])
def test_numbers_that_are_none(value):
    assert fault_of(colander.SchemaNode(JsonNumber()), value) == "must be a number"


def test_the_largest_numbers_are_taken():
    node = colander.SchemaNode(Nullable(JsonNumber()))
    assert node.deserialize(10**308) == 1e308
    assert node.deserialize(None) is None


@pytest.mark.parametrize("code", [0x00, 0x08, 0x0B, 0x0C, 0x0E, 0x1F, 0x7F, 0xD800, 0xDFFF])
def test_control_characters_are_refused(code):
    for multiline in (False, True):
        node = colander.SchemaNode(JsonString(multiline=multiline))
        assert fault_of(node, f"a{chr(code)}b") == "must not contain control characters"


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb", "a\tb"])
def test_lines_are_for_texts_of_several(text):
    assert colander.SchemaNode(JsonString(multiline=True)).deserialize(text) == text
    assert fault_of(colander.SchemaNode(JsonString()), text) == "must not contain control characters"


@pytest.mark.parametrize("text", ["Zürich", "\x80 \x9f", "\ue000\uffff", "😀"])
def test_other_texts_are_taken(text):
    assert colander.SchemaNode(JsonString()).deserialize(text) == text
